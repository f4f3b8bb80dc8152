/** Scoped by the shadow root: styles neither leak in from the page nor out to it. */
export const styles = `
:host { all: initial; color-scheme: light; }
* { box-sizing: border-box; }
.widget { position: fixed; z-index: 2147483000; bottom: 20px; right: 20px; font: 15px/1.45 system-ui, sans-serif; color: #1f2937;
  display: flex; flex-direction: column; align-items: flex-end; gap: 12px; }
.widget.left { right: auto; left: 20px; align-items: flex-start; }
button { font: inherit; color: inherit; background: none; border: 0; border-radius: 8px; padding: 6px; cursor: pointer; }
button:disabled { opacity: .45; cursor: default; }
button:focus-visible, textarea:focus-visible, a:focus-visible, summary:focus-visible, .log:focus-visible {
  outline: 3px solid #1d4ed8; outline-offset: 2px; box-shadow: 0 0 0 2px #fff; }
svg { display: block; width: 22px; height: 22px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.launcher { width: 56px; height: 56px; padding: 0; display: grid; place-items: center; border-radius: 50%;
  background: var(--color); color: var(--on-color); box-shadow: 0 4px 16px rgb(0 0 0 / .25); }
.launcher svg { width: 28px; height: 28px; }
.panel { width: min(380px, calc(100vw - 24px)); height: min(600px, calc(100dvh - 110px)); display: flex; flex-direction: column;
  background: #fff; border-radius: 16px; overflow: hidden; box-shadow: 0 8px 40px rgb(0 0 0 / .28); animation: rise .18s ease-out; }
@keyframes rise { from { opacity: 0; transform: translateY(12px); } }
header { display: flex; align-items: center; gap: 8px; padding: 10px 12px; background: var(--color); color: var(--on-color); }
header img { width: 32px; height: 32px; border-radius: 50%; object-fit: cover; }
h2 { flex: 1; margin: 0; font-size: 16px; font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.log { flex: 1; overflow-y: auto; overscroll-behavior: contain; padding: 14px; display: flex; flex-direction: column; gap: 12px; }
article { max-width: 88%; align-self: flex-start; overflow-wrap: anywhere; }
article.user { align-self: flex-end; }
.text { padding: 9px 13px; border-radius: 14px; background: #f3f4f6; }
.user .text { background: var(--color); color: var(--on-color); white-space: pre-wrap; }
.text > :first-child { margin-top: 0; } .text > :last-child { margin-bottom: 0; }
p, ul, ol, pre { margin: 0 0 8px; }
ul, ol { padding-left: 22px; }
pre { overflow-x: auto; padding: 8px; border-radius: 8px; background: #e5e7eb; }
code { font: 13px/1.4 ui-monospace, monospace; }
a { color: #1d4ed8; }
details { margin-top: 6px; font-size: 13px; color: #374151; }
summary { cursor: pointer; font-weight: 600; }
details ol { margin: 4px 0 0; }
q { display: block; color: #4b5563; font-style: italic; }
.rating { display: flex; gap: 2px; color: #6b7280; }
.rating button { padding: 4px; } .rating svg { width: 16px; height: 16px; }
.rating [aria-pressed=true] { color: #111827; background: #e5e7eb; }
.writing, .small { margin: 0; font-size: 13px; color: #4b5563; }
.notice p { margin: 0; padding: 8px 14px; font-size: 14px; background: #fef3c7; color: #451a03; }
.notice button { padding: 0 4px; text-decoration: underline; }
form { display: flex; gap: 8px; align-items: flex-end; padding: 10px 12px; border-top: 1px solid #e5e7eb; }
textarea { flex: 1; resize: none; font: inherit; color: inherit; background: #fff; padding: 8px 10px; border: 1px solid #6b7280; border-radius: 10px; }
textarea::placeholder { color: #6b7280; opacity: 1; }
.send { width: 40px; height: 40px; padding: 9px; border-radius: 10px; background: var(--color); color: var(--on-color); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 480px) { .widget, .widget.left { right: 12px; left: 12px; bottom: 12px; } .panel { width: 100%; } }
@media (prefers-reduced-motion: reduce) { .panel { animation: none; } }
`;
