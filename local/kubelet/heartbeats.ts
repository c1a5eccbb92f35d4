/** Calls each member once a period. The calls are spread over the period, and one timer serves all members. */
export interface Heartbeats {
  /** Returns the function that leaves. */
  join(beat: () => void): () => void
  close(): void
}

const SLOTS = 20

export function createHeartbeats(periodMs: number): Heartbeats {
  const slots = Array.from({ length: SLOTS }, () => new Set<() => void>())
  let joined = 0
  let turn = 0
  const timer = setInterval(() => {
    turn = (turn + 1) % SLOTS
    for (const beat of slots[turn] ?? []) beat()
  }, periodMs / SLOTS)
  timer.unref()
  return {
    join: (beat) => {
      const slot = slots[joined++ % SLOTS]
      slot?.add(beat)
      return () => slot?.delete(beat)
    },
    close: () => clearInterval(timer),
  }
}
