import type { Clock } from '../clock.ts'
import type { AnswerEnd } from './answerStream.ts'

/** While this many answers are open, the shim does not come without changes: one of them covers the work. Changes never wait for an answer. */
const MOST_OPEN = 4
/** The first and the longest pause after a second broken answer in a row. */
const BROKEN_MS = 1_000
const MOST_BROKEN_MS = 30_000

/**
 * The answers that the app keeps open while it works. They say when the shim must come again. The shim comes with a post without changes, and so starts
 * work that is due.
 */
export interface OpenAnswers {
  /** Follows an answer to its end. Undefined: the answer is complete, as of an app that keeps none open. */
  follow(end: Promise<AnswerEnd> | undefined): void
  /** When the shim must come, by the monotonic clock. Infinity: no answer has said so, or enough answers are open. */
  comeAt(): number
  /** The shim comes now. */
  came(): void
}

function pauseAfter(times: number): number {
  return Math.min(MOST_BROKEN_MS, BROKEN_MS * 2 ** times)
}

/** `onChange` is called when the time to come may be earlier. */
export function createOpenAnswers(clock: Clock, onChange: () => void): OpenAnswers {
  let open = 0
  let comeAt = Number.POSITIVE_INFINITY
  let brokenInRow = 0

  function comeAfter(ms: number): void {
    comeAt = Math.min(comeAt, clock.monotonic() + ms)
  }

  function note(end: AnswerEnd): void {
    if (end.kind === 'broken') {
      comeAfter(brokenInRow === 0 ? 0 : pauseAfter(brokenInRow - 1))
      brokenInRow++
    } else if (end.again !== undefined) {
      brokenInRow = 0
      comeAfter(end.again)
    } else if (open === 0 && comeAt === Number.POSITIVE_INFINITY) {
      // No answer of this shim is left to say when: the app keeps one open for a caller that is gone.
      comeAfter(pauseAfter(brokenInRow))
      brokenInRow++
    }
  }

  async function untilEnd(end: Promise<AnswerEnd>): Promise<void> {
    open++
    const ended = await end
    open--
    note(ended)
    if (comeAt < Number.POSITIVE_INFINITY) onChange()
  }

  return {
    follow: (end) => void (end && untilEnd(end)),
    comeAt: () => (open < MOST_OPEN ? comeAt : Number.POSITIVE_INFINITY),
    came() {
      comeAt = Number.POSITIVE_INFINITY
    },
  }
}
