import type { ComponentChild } from 'preact';
import { Icon } from './icons.tsx';

/** The agent's picture or, without one, the first letter of its name. */
export const Avatar = ({ face }: { face: { name: string; avatar: string | null } }): ComponentChild =>
  face.avatar ? (
    <img class="avatar" src={face.avatar} alt="" />
  ) : (
    <span class="avatar" aria-hidden="true">
      {Array.from(face.name.trim())[0]?.toLocaleUpperCase()}
    </span>
  );

/** For messages of a person, who is not named. */
export const PersonAvatar = (): ComponentChild => (
  <span class="avatar person">
    <Icon name="person" />
  </span>
);
