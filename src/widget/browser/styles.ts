/** Scoped by the shadow root: styles neither leak in from the page nor out to it. */
export const styles = `
:host { all: initial; color-scheme: light; direction: ltr;
  --surface: #fff; --ink: #1b2230; --muted: #596273; --bubble: #f1f3f6; --line: #e3e7ed; --edge: #868f9e; --link: #1d4ed8;
  --code: #e2e6ec; --notice: #fef3c7; --on-notice: #451a03; --alarm: #b42318; --hover: rgb(15 23 42 / .07);
  --shadow: 0 12px 48px rgb(15 23 42 / .22), 0 2px 8px rgb(15 23 42 / .1); }
:host([data-theme=dark]) { color-scheme: dark;
  --surface: #15181e; --ink: #e9ecf1; --muted: #a5aebd; --bubble: #262b34; --line: #2f3540; --edge: #7d8797; --link: #9dbcff;
  --code: #11141a; --notice: #3a2f12; --on-notice: #fbe7ac; --alarm: #ff9d94; --hover: rgb(255 255 255 / .1);
  --shadow: 0 12px 48px rgb(0 0 0 / .6), 0 0 0 1px #2f3540; }
* { box-sizing: border-box; }
/* What a page gives to all elements (* { letter-spacing: … }) reaches the host, and is inherited from it. */
.widget { all: initial; direction: ltr; color-scheme: inherit; position: fixed; z-index: 2147483000; bottom: calc(20px + env(safe-area-inset-bottom, 0px));
  right: calc(20px + var(--place, 0px)); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: var(--ink);
  display: flex; flex-direction: column; align-items: flex-end; gap: 14px; }
.widget.left { right: auto; left: calc(20px + var(--place, 0px)); align-items: flex-start; }
button { font: inherit; color: inherit; background: none; border: 0; border-radius: 10px; padding: 7px; cursor: pointer; flex: none; }
button:hover:not(:disabled) { background: var(--hover); }
button:disabled { opacity: .45; cursor: default; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; box-shadow: 0 0 0 2px var(--surface); }
.panel:focus { outline: none; }
svg { display: block; width: 20px; height: 20px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.launcher { position: relative; width: 58px; height: 58px; padding: 0; display: grid; place-items: center; border-radius: 50%;
  background: var(--color); color: var(--on-color); box-shadow: 0 6px 20px rgb(0 0 0 / .28); transition: transform .15s ease-out; }
.launcher:hover:not(:disabled) { background: var(--color); transform: scale(1.05); }
.launcher svg { width: 28px; height: 28px; }
.panel { position: relative; width: min(400px, calc(100vw - 40px)); height: min(680px, calc(100vh - 118px)); display: flex; flex-direction: column;
  background: var(--surface); border-radius: 18px; overflow: hidden; box-shadow: var(--shadow); animation: rise .18s ease-out; }
@supports (height: 1dvh) { .panel { height: min(680px, calc(100dvh - 118px)); } }
@keyframes rise { from { opacity: 0; transform: translateY(14px); } }
header { display: flex; align-items: center; gap: 4px; padding: 12px 10px 12px 16px; background: var(--color); color: var(--on-color); }
header :focus-visible { outline-color: var(--on-color); outline-offset: -2px; box-shadow: none; }
.avatar { flex: none; width: 28px; height: 28px; border-radius: 50%; object-fit: cover; display: grid; place-items: center;
  font-size: 13px; font-weight: 600; line-height: 1; background: var(--color); color: var(--on-color); }
header .avatar { width: 38px; height: 38px; font-size: 17px; background: var(--on-color); color: var(--color); }
.title { flex: 1; min-width: 0; margin: 0 8px; }
h2 { margin: 0; font-size: 16px; line-height: 1.3; font-weight: 650; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.title p { margin: 0; font-size: 13px; line-height: 1.3; }
.avatar.person { background: var(--line); color: var(--ink); } .avatar svg { width: 17px; height: 17px; }
.badge { position: absolute; top: -4px; right: -4px; min-width: 22px; height: 22px; padding: 0 6px; border-radius: 11px; border: 2px solid #fff;
  background: #c8102e; color: #fff; font-size: 12px; font-weight: 700; line-height: 18px; text-align: center; }
.history { flex: 1; overflow-y: auto; display: flex; flex-direction: column; padding: 8px; }
.history:focus { outline: none; }
.history ul { flex: 1; margin: 0; padding: 0; list-style: none; }
.history li button { display: flex; gap: 12px; width: 100%; padding: 12px; text-align: start; align-items: baseline; }
.history li + li { border-top: 1px solid var(--line); }
.history [aria-current] .excerpt { font-weight: 650; }
.excerpt { flex: 1; min-width: 0; overflow: hidden; display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow-wrap: anywhere; }
.history time { font-size: 12px; color: var(--muted); white-space: nowrap; }
.empty { flex: 1; margin: 0; padding: 12px; color: var(--muted); }
.link { padding: 0 4px; text-decoration: underline; }
.start { margin: 8px; padding: 10px; border-radius: 12px; background: var(--color); color: var(--on-color); font-weight: 600; }
.start:hover:not(:disabled) { background: var(--color); filter: brightness(1.08); }
.log { flex: 1; overflow-y: auto; overscroll-behavior: contain; padding: 18px 16px 12px; display: flex; flex-direction: column; gap: 14px; }
.log:focus-visible { outline-offset: -3px; box-shadow: none; }
article { display: flex; gap: 8px; max-width: 92%; align-self: flex-start; }
article.user { align-self: flex-end; max-width: 82%; }
article > .avatar { margin-top: 5px; }
.body { min-width: 0; display: flex; flex-direction: column; align-items: flex-start; overflow-wrap: anywhere; }
.user .body { align-items: flex-end; }
.text { padding: 9px 14px; border-radius: 4px 18px 18px; background: var(--bubble); max-width: 100%; }
.user .text { border-radius: 18px 18px 4px; background: var(--color); color: var(--on-color); white-space: pre-wrap; }
.text > :first-child { margin-top: 0; } .text > :last-child { margin-bottom: 0; }
p, ul, ol, pre { margin: 0 0 8px; }
ul, ol { padding-inline-start: 22px; }
li > ul, li > ol { margin: 0; }
.table { overflow-x: auto; margin: 0 0 8px; }
table { border-collapse: collapse; font-size: 14px; }
th, td { padding: 4px 8px; border: 1px solid var(--line); text-align: start; vertical-align: top; overflow-wrap: normal; }
th { font-weight: 650; }
pre { overflow-x: auto; padding: 10px; border-radius: 8px; background: var(--code); }
code { font: 13px/1.45 ui-monospace, SFMono-Regular, Menlo, monospace; }
:not(pre) > code { padding: 1px 5px; border-radius: 5px; background: var(--code); }
a { color: var(--link); text-underline-offset: 2px; }
.user a { color: inherit; }
details { margin-top: 8px; font-size: 13px; line-height: 1.45; color: var(--muted); }
summary { cursor: pointer; font-weight: 600; border-radius: 4px; }
details ol { margin: 4px 0 0; }
q { display: block; font-style: italic; }
.under { display: flex; align-items: center; gap: 8px; min-height: 24px; margin-top: 2px; padding: 0 4px; font-size: 12px; color: var(--muted); }
.rating { display: flex; gap: 2px; }
.rating button { padding: 4px; } .rating svg { width: 15px; height: 15px; }
.rating [aria-pressed=true] { color: var(--ink); background: var(--hover); }
.rating [aria-pressed=true] svg { fill: currentColor; fill-opacity: .35; }
.day { display: flex; align-items: center; gap: 10px; margin: 2px 0; font-size: 12px; color: var(--muted); }
.day::before, .day::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
.small { margin: 4px 4px 0; font-size: 13px; color: var(--muted); }
.writing { margin: 0 0 0 36px; align-self: flex-start; }
.dots { display: flex; gap: 5px; padding: 14px 15px; border-radius: 4px 18px 18px; background: var(--bubble); }
.dots i { width: 7px; height: 7px; border-radius: 50%; background: var(--muted); animation: wait 1.2s infinite ease-in-out; }
.dots i:nth-child(2) { animation-delay: .15s; } .dots i:nth-child(3) { animation-delay: .3s; }
@keyframes wait { 0%, 60%, 100% { opacity: .35; transform: none; } 30% { opacity: 1; transform: translateY(-4px); } }
.notice p { margin: 0; padding: 8px 16px; font-size: 14px; background: var(--notice); color: var(--on-notice); }
.notice button { padding: 0 4px; text-decoration: underline; }
form { display: flex; gap: 8px; align-items: flex-end; padding: 10px 12px 12px; border-top: 1px solid var(--line); }
.form { display: block; max-height: 70%; overflow-y: auto; padding: 12px 16px 16px; }
.form label, .form fieldset { display: block; margin: 0 0 10px; padding: 0; border: 0; font-size: 14px; } .form legend { padding: 0; }
.form input:not([type=checkbox]), .form select { display: block; width: 100%; margin-top: 4px; padding: 8px 12px; border: 1px solid var(--edge); border-radius: 10px;
  font: inherit; font-size: 16px; color: inherit; background: var(--surface); }
.form .start { width: 100%; margin: 4px 0 0; }
.satisfaction fieldset { display: flex; flex-wrap: wrap; gap: 6px; margin: 0; } .satisfaction legend { padding: 0 0 6px; }
.satisfaction fieldset button { width: 40px; height: 40px; border: 1px solid var(--edge); border-radius: 50%; font-weight: 600; }
.satisfaction [aria-pressed=true] { background: var(--color); color: var(--on-color); border-color: transparent; }
.why { display: flex; gap: 8px; margin-top: 8px; } .why .start { width: auto; margin: 4px 0 0; padding: 8px 16px; }
.satisfaction .small:empty { display: none; }
.fault { margin: 0 0 8px; color: var(--alarm); font-size: 14px; } .fault:empty { display: none; }
.teaser { display: flex; align-items: flex-start; max-width: min(300px, calc(100vw - 40px)); border-radius: 14px; background: var(--surface); box-shadow: var(--shadow); }
.teaser:empty { box-shadow: none; margin-bottom: -14px; }
.said { flex: 1; padding: 10px 4px 10px 14px; text-align: start; overflow-wrap: anywhere; }
textarea { flex: 1; min-width: 0; resize: none; font: inherit; color: inherit; background: var(--surface); padding: 8px 12px;
  border: 1px solid var(--edge); border-radius: 20px; overflow-y: auto; }
textarea::placeholder { color: var(--muted); opacity: 1; }
textarea:focus-visible { outline-width: 2px; outline-offset: -1px; box-shadow: none; }
.send { width: 40px; height: 40px; padding: 10px; border-radius: 50%; background: var(--color); color: var(--on-color); }
.send:hover:not(:disabled) { background: var(--color); filter: brightness(1.08); }
.attach { width: 40px; height: 40px; padding: 10px; margin: 0 -4px 0 -4px; color: var(--muted); }
.drop { position: absolute; inset: 8px; z-index: 1; margin: 0; display: grid; place-content: center; text-align: center; border: 2px dashed var(--edge);
  border-radius: 14px; background: var(--surface); opacity: .96; pointer-events: none; }
.uploads { max-height: 40%; overflow-y: auto; padding: 8px 12px 4px; border-top: 1px solid var(--line); }
.uploads ul { margin: 0; padding: 0; list-style: none; display: flex; flex-direction: column; gap: 4px; }
.uploads li { position: relative; display: flex; align-items: center; gap: 6px; padding: 4px 4px 4px 10px; border-radius: 10px; background: var(--bubble); font-size: 13px; }
.uploads .name { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.uploads .progress { color: var(--muted); max-width: 60%; } .uploads .fault .progress { color: var(--alarm); }
.uploads svg { width: 16px; height: 16px; flex: none; }
progress { position: absolute; left: 10px; right: 10px; bottom: 1px; width: calc(100% - 20px); height: 3px; border: 0; appearance: none;
  background: var(--line); border-radius: 2px; overflow: hidden; }
::-webkit-progress-bar { background: var(--line); }
::-webkit-progress-value { background: var(--link); } ::-moz-progress-bar { background: var(--link); }
.attachments { display: flex; flex-wrap: wrap; gap: 6px; margin-bottom: 4px; max-width: 100%; }
.user .attachments { justify-content: flex-end; }
.chip { display: inline-flex; align-items: center; gap: 6px; max-width: 100%; padding: 7px 12px; border-radius: 12px; font-size: 14px;
  border: 1px solid var(--line); color: var(--ink); text-decoration: none; }
.chip span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .chip svg { flex: none; width: 16px; height: 16px; }
a.chip:hover { background: var(--hover); }
.user a.chip { color: var(--ink); }
.picture img { display: block; max-width: 100%; max-height: 220px; border-radius: 14px; border: 1px solid var(--line); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 480px), (max-height: 480px) {
  .widget, .widget.left { bottom: calc(16px + env(safe-area-inset-bottom, 0px)); }
  .open .launcher { display: none; }
  .panel { position: fixed; left: 0; top: var(--top, 0); width: 100vw; height: var(--height, 100vh); border-radius: 0; box-shadow: none; }
  header { padding-top: calc(12px + env(safe-area-inset-top, 0px)); padding-left: calc(16px + env(safe-area-inset-left, 0px));
    padding-right: calc(10px + env(safe-area-inset-right, 0px)); }
  header button { padding: 11px; }
  form { padding-bottom: calc(12px + env(safe-area-inset-bottom, 0px)); }
  /* Below 16px, iOS zooms into a field. */
  textarea { font-size: 16px; }
  .rating button { padding: 8px; }
}
@media (prefers-reduced-motion: reduce) { .panel, .dots i { animation: none; } .launcher { transition: none; } }
@media (forced-colors: active) { .launcher, .panel, .text, textarea { border: 1px solid; } }
`;
