/** How long a key waits after a failure. */
export interface RateLimiter<Key> {
  /** Returns the pause before the next run of the key, in milliseconds. Each pause of a key is twice the pause before, up to the longest. */
  when(key: Key): number
  /** The number of pauses since the key was forgotten. */
  numRequeues(key: Key): number
  forget(key: Key): void
}

/** `ItemExponentialFailureRateLimiter` of client-go: each key counts by itself. */
export function createExponentialRateLimiter<Key>(baseMs: number, mostMs: number): RateLimiter<Key> {
  const failures = new Map<Key, number>()
  return {
    when(key) {
      const count = failures.get(key) ?? 0
      failures.set(key, count + 1)
      return Math.min(baseMs * 2 ** count, mostMs)
    },
    numRequeues: (key) => failures.get(key) ?? 0,
    forget: (key) => void failures.delete(key),
  }
}

/**
 * A queue of keys, as the rate-limited delaying queue of client-go. A key is in the queue once, however often it is added. At most one run of a key is
 * under way: a key that is added during its run has one more run after it. Of several times of a key the earliest counts.
 */
export interface WorkQueue<Key> {
  add(key: Key): void
  addAfter(key: Key, delayMs: number): void
  /** Adds the key after the pause that its failures ask for. */
  addRateLimited(key: Key): void
  /** Ends the back-off of the key. */
  forget(key: Key): void
  numRequeues(key: Key): number
  /** Takes the next key that is due. Its run is over with `done`. Undefined: no key is due. */
  get(): Key | undefined
  done(key: Key): void
  /** The number of keys that wait or run. */
  size(): number
  /** When the key is or was due. Undefined: it does not wait. */
  dueAt(key: Key): number | undefined
  /** When `get` returns the next key. Undefined: none waits, except for the end of its run. */
  nextAt(): number | undefined
  /** The number of runs that are under way. */
  running(): number
}

export type WorkQueueOptions<Key> = {
  readonly now: () => number
  readonly limiter: RateLimiter<Key>
  /** Keys that come before others that are due. */
  readonly isFirst?: (key: Key) => boolean
}

export function createWorkQueue<Key>({ now, limiter, isFirst = () => false }: WorkQueueOptions<Key>): WorkQueue<Key> {
  /** The keys that wait for a time or for the end of their run, with their times, in the order in which they came. */
  const waiting = new Map<Key, number>()
  /** The keys that are due, with their times, in the order of their turns. */
  const [first, others] = [new Map<Key, number>(), new Map<Key, number>()]
  const running = new Set<Key>()

  function makeDue(key: Key, at: number): void {
    waiting.delete(key)
    if (isFirst(key)) first.set(key, at)
    else others.set(key, at)
  }

  function addAfter(key: Key, delayMs: number): void {
    if (first.has(key) || others.has(key)) return
    const at = now() + Math.max(0, delayMs)
    if (at <= now() && !running.has(key)) makeDue(key, at)
    else waiting.set(key, Math.min(at, waiting.get(key) ?? at))
  }

  function makeAllDue(): void {
    const due = [...waiting].filter(([key, at]) => at <= now() && !running.has(key))
    for (const [key, at] of due.sort(([, one], [, other]) => one - other)) makeDue(key, at)
  }

  /** The earliest time of a key that waits and does not run. */
  function earliest(): number {
    let at = Number.POSITIVE_INFINITY
    for (const [key, each] of waiting) if (each < at && !running.has(key)) at = each
    return at
  }

  return {
    add: (key) => addAfter(key, 0),
    addAfter,
    addRateLimited: (key) => addAfter(key, limiter.when(key)),
    forget: limiter.forget,
    numRequeues: limiter.numRequeues,
    get() {
      makeAllDue()
      const [next] = first.size > 0 ? first : others
      if (next === undefined) return undefined
      const [key] = next
      first.delete(key)
      others.delete(key)
      running.add(key)
      return key
    },
    done: (key) => void running.delete(key),
    size: () => new Set([...waiting.keys(), ...running]).size + first.size + others.size,
    dueAt: (key) => first.get(key) ?? others.get(key) ?? waiting.get(key),
    nextAt() {
      if (first.size + others.size > 0) return now()
      const at = earliest()
      return at === Number.POSITIVE_INFINITY ? undefined : at
    },
    running: () => running.size,
  }
}
