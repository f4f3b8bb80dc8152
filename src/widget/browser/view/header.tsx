import type { ComponentChild } from 'preact';
import type { Properties } from '../properties.ts';
import { Avatar } from './avatar.tsx';
import { IconButton } from './icons.tsx';

/** The agent, and the buttons of the panel. */
export function Header({ state, chat, texts, close }: Properties & { close: () => void }): ComponentChild {
  const { face, answer, history, sound } = state;
  const isWriting = answer !== null;
  return (
    <header>
      {history ? (
        <IconButton icon="back" label={texts.back} onClick={() => void chat.showHistory(false)} />
      ) : (
        <Avatar face={face} />
      )}
      <div class="title">
        <h2 id="name">{face.name}</h2>
        {history && <p>{texts.history}</p>}
      </div>
      <IconButton
        icon={sound ? 'sound' : 'silent'}
        label={texts.sound}
        pressed={sound}
        onClick={() => chat.setSound(!sound)}
      />
      {!history && (
        <IconButton
          icon="history"
          label={texts.history}
          onClick={() => void chat.showHistory(true)}
          disabled={isWriting}
        />
      )}
      {!history && <IconButton icon="fresh" label={texts.fresh} onClick={chat.leave} disabled={isWriting} />}
      <IconButton icon="close" label={texts.close} onClick={close} />
    </header>
  );
}
