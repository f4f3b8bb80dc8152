let audio: AudioContext | null = null;

/** Plays two short tones. The first call must follow a click: browsers allow no sound before. */
export function playSound(): void {
  try {
    audio ??= new AudioContext();
    void audio.resume().catch(() => {});
    tone(audio, 660, 0);
    tone(audio, 880, 0.12);
  } catch {
    // Without a device for sound, nothing is played.
  }
}

function tone(audio: AudioContext, frequency: number, delay: number): void {
  const from = audio.currentTime + delay;
  const source = audio.createOscillator();
  const volume = audio.createGain();
  source.frequency.value = frequency;
  volume.gain.setValueAtTime(0.08, from);
  volume.gain.exponentialRampToValueAtTime(0.001, from + 0.25);
  source.connect(volume).connect(audio.destination);
  source.start(from);
  source.stop(from + 0.25);
}
