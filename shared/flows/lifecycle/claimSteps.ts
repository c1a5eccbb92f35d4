import type { NodeClaimName } from '../../model/ids.ts'
import type { ClaimMessage } from '../../model/message.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClaimOutcome } from './followUp.ts'

/** Runs the lifecycle steps of the claims of one cluster in this process. */
export interface ClaimSteps {
  /** Resolves with the outcome once the step that the message asks for is done. Resolves with undefined if another step under way will cover it. */
  step(message: ClaimMessage, signal: AbortSignalLike): Promise<ClaimOutcome | undefined>
}

type Stepping = { running: ClaimMessage; next: ClaimMessage | undefined; readonly done: Promise<ClaimOutcome | undefined> }

/**
 * Never runs two steps of one claim at a time. A node that joins changes many times within a second, and each change is a hint. All hints that come
 * during a step cause one more look after it. Hints may be lost, so their messages do not wait for that look. Messages of a chain do. A message of
 * the chain that was delivered twice causes one look.
 */
export function createClaimSteps(run: (message: ClaimMessage, signal: AbortSignalLike) => Promise<ClaimOutcome>): ClaimSteps {
  const stepping = new Map<NodeClaimName, Stepping>()

  async function runAll(message: ClaimMessage, signal: AbortSignalLike): Promise<ClaimOutcome | undefined> {
    let outcome: ClaimOutcome | undefined
    try {
      for (let next: ClaimMessage | undefined = message; next !== undefined; next = taken(next.claim)) outcome = await run(next, signal)
      return outcome
    } finally {
      stepping.delete(message.claim)
    }
  }

  function taken(claim: NodeClaimName): ClaimMessage | undefined {
    const current = stepping.get(claim)
    const next = current?.next
    if (current !== undefined && next !== undefined) {
      current.running = next
      current.next = undefined
    }
    return next
  }

  return {
    step(message, signal) {
      const current = stepping.get(message.claim)
      if (current === undefined) {
        const done = runAll(message, signal)
        stepping.set(message.claim, { running: message, next: undefined, done })
        return done
      }
      if (isOneMessage(current.running, message)) return current.done
      current.next = current.next === undefined ? message : merged(current.next, message)
      return message.follow ? current.done : Promise.resolve(undefined)
    },
  }
}

/** Reports whether two messages of a chain are the same message. Two equal hints are different, because something changed between them. */
function isOneMessage(first: ClaimMessage, second: ClaimMessage): boolean {
  return first.follow && second.follow && first.sentAt === second.sentAt && first.attempt === second.attempt
}

/**
 * One message in place of two. Of two known objects, that of the later message counts. If one of the messages has no known objects, everything is
 * read live.
 */
function merged(waiting: ClaimMessage, message: ClaimMessage): ClaimMessage {
  const { known: _, ...next } = comesBefore(message, waiting) ? message : waiting
  return waiting.known && message.known ? { ...next, known: { ...waiting.known, ...message.known } } : next
}

/** Reports whether the first message is to be kept: a message of a chain before a hint, and of two chains the one with shorter pauses. */
function comesBefore(first: ClaimMessage, second: ClaimMessage): boolean {
  return first.follow && (!second.follow || first.attempt < second.attempt)
}
