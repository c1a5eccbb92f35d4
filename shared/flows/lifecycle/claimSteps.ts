import type { NodeClaimName } from '../../model/ids.ts'
import type { ClaimMessage } from '../../model/message.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClaimOutcome } from './followUp.ts'

/** The claims of one cluster that this process is stepping now. */
export interface ClaimSteps {
  /** Resolves once what the message asks for is done, with what came of it, or is sure to be done by a step under way. */
  step(message: ClaimMessage, signal: AbortSignalLike): Promise<ClaimOutcome | undefined>
}

type Stepping = { running: ClaimMessage; next: ClaimMessage | undefined; readonly done: Promise<ClaimOutcome | undefined> }

/**
 * Steps one claim at a time. A node that joins changes many times within a second, and each change is a hint: hints that come while the
 * claim is being stepped are one more look after it, not one each. Hints may be lost, so they do not wait for that look; the chain that
 * follows the claim does. A message of the chain that was delivered twice is looked at once.
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

/** Hints that look alike are two: something changed between them. */
function isOneMessage(first: ClaimMessage, second: ClaimMessage): boolean {
  return first.follow && second.follow && first.sentAt === second.sentAt && first.attempt === second.attempt
}

/** One look for both. What the later one knows is newer, unless one of them is about something that is not known: then all is looked at. */
function merged(waiting: ClaimMessage, message: ClaimMessage): ClaimMessage {
  const { known: _, ...next } = comesBefore(message, waiting) ? message : waiting
  return waiting.known && message.known ? { ...next, known: { ...waiting.known, ...message.known } } : next
}

/** A chain goes on where a hint does not, and of two chains the one that looks sooner. */
function comesBefore(first: ClaimMessage, second: ClaimMessage): boolean {
  return first.follow && (!second.follow || first.attempt < second.attempt)
}
