// The playhead: where in the recording we are, and whether time runs.

export class Player {
  /** @param {number} first @param {number} last seconds */
  constructor(first, last) {
    this.first = first;
    this.last = last;
    this.time = first;
    this.speed = 1;
    this.loop = true;
    this.playing = false;
    /** @type {(() => void)[]} called after every change */
    this.listeners = [];
  }

  changed() {
    for (const listener of this.listeners) listener();
  }

  seek(time) {
    this.time = Math.min(this.last, Math.max(this.first, time));
    this.changed();
  }
  play() {
    if (this.time >= this.last) this.time = this.first;
    this.playing = this.last > this.first;
    this.changed();
  }
  pause() {
    this.playing = false;
    this.changed();
  }
  toggle() { this.playing ? this.pause() : this.play(); }

  /** Wall-clock seconds went by. */
  advance(seconds) {
    if (!this.playing) return;
    this.time += seconds * this.speed;
    if (this.time >= this.last) {
      this.playing = this.loop;
      this.time = this.loop ? this.first + ((this.time - this.first) % (this.last - this.first)) : this.last;
    }
    this.changed();
  }
}
