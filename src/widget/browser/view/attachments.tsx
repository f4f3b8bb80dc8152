import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import type { Properties } from '../properties.ts';
import { fill } from '../texts/texts.ts';
import type { Attachment, Upload } from '../types.ts';
import { Icon, IconButton } from './icons.tsx';

/** The files of the message that is being written, with their progress, and the limits. */
export function UploadList({ state: { uploads }, chat, texts }: Properties): ComponentChild {
  const { count, bytes } = chat.uploads.limits;
  const limits = fill(texts.attachLimits, { count, size: bytes / 1_000_000 });
  if (uploads.length === 0) return null;
  const describe = ({ fault, handle, progress }: Upload): string => {
    if (fault) return fault === 'limited' ? texts.limited : fault === 'tooLarge' ? limits : texts[fault];
    return handle ? '' : `${Math.round(progress * 100)} %`;
  };
  return (
    <div class="uploads">
      <ul aria-label={texts.attachments}>
        {uploads.map((upload) => (
          <li key={upload.key} class={upload.fault ? 'fault' : ''}>
            <Icon name="file" />
            <span class="name">{upload.name}</span>
            <span class="progress" role={upload.fault ? 'alert' : undefined}>
              {describe(upload)}
            </span>
            {!upload.fault && !upload.handle && <progress max={1} value={upload.progress} aria-label={upload.name} />}
            <IconButton
              icon="close"
              label={fill(texts.remove, { name: upload.name })}
              onClick={() => chat.uploads.remove(upload.key)}
            />
          </li>
        ))}
      </ul>
      <p class="small">{limits}</p>
    </div>
  );
}

/** The attachments of a message: images are shown, if the page's policy allows it, and others are links. */
export function Attachments({ attachments, base }: { attachments: Attachment[]; base: string }): ComponentChild {
  if (attachments.length === 0) return null;
  return (
    <div class="attachments">
      {attachments.map((attachment, index) => (
        <Attached key={index} {...attachment} base={base} />
      ))}
    </div>
  );
}

function Attached({ type, url, name, base }: Attachment & { base: string }): ComponentChild {
  const [isHidden, setHidden] = useState(false);
  const { href = null, protocol = '' } = (url && URL.parse(url, base)) || {};
  const label = name ?? type;
  const chip = [<Icon key="icon" name="file" />, <span key="name">{label}</span>];
  if (!href || !/^https?:$/.test(protocol)) return <span class="chip">{chip}</span>;
  const isShown = type === 'image' && !isHidden;
  return (
    <a class={isShown ? 'picture' : 'chip'} href={href} target="_blank" rel="noopener noreferrer nofollow">
      {isShown ? <img src={href} alt={label} onError={() => setHidden(true)} /> : chip}
    </a>
  );
}
