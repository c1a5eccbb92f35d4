import type { NodeClaimName } from '../../model/ids.ts'
import type { ClaimMessage, Doorbell } from '../../model/message.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'

/** A message that this process is to work on, now or later. */
export type Held = {
  readonly message: Doorbell | ClaimMessage
  readonly since: EpochMs
  /** When its work may begin, or be tried again. */
  dueAt: EpochMs
  /** True if there is nothing left to do for the message. It no longer counts. */
  isDropped: boolean
  /** True once its work begins. From then on, the message can be followed by the next one of its chain. */
  hasBegun: boolean
  /** True while its work runs. */
  isRunning: boolean
}

/** The messages of one cluster that a process has taken on. */
export interface MessagesInHand {
  count(): number
  /** Takes a message on. Of two chains of one claim, the chain with fewer looks since the last change goes on, and the other one is dropped. */
  take(message: Doorbell | ClaimMessage, now: EpochMs, dueAt?: EpochMs): Held
  /** Sets when the work of the message is tried again. */
  delay(held: Held, dueAt: EpochMs): void
  letGo(held: Held): void
  /** Drops messages that were taken before a time to follow a claim until it is initialized. Other messages may be about later news, and stay. */
  dropComing(claim: NodeClaimName, before: EpochMs): void
  /** Reports whether a message of a chain of the claim is held, and is not overdue. */
  follows(claim: NodeClaimName, now: EpochMs): boolean
  /** When the next work is due. The time of work that runs, or waits for its turn, is over. Undefined: nothing is held. */
  nextDueAt(): EpochMs | undefined
  /** Resolves when a message is let go or dropped, or its time changes. */
  changed(): Promise<void>
}

/**
 * Work that is later than this counts as overdue: its process was stopped, or its call hangs. The pauses of work that waits for its turn in a burst are
 * mostly shorter.
 */
const OVERDUE_MS = 10_000

export function createMessagesInHand(): MessagesInHand {
  const all = new Set<Held>()
  const ofClaims = new Map<NodeClaimName, Set<Held>>()
  const watchers: (() => void)[] = []
  let count = 0

  function tell(): void {
    for (const watcher of watchers.splice(0)) watcher()
  }

  function drop(held: Held): void {
    held.isDropped = true
    count--
    tell()
  }

  /** The message of another chain of the same claim that waits for its time. */
  function rivalOf(message: Doorbell | ClaimMessage): Held | undefined {
    if (!isNextLook(message)) return undefined
    return [...(ofClaims.get(message.claim) ?? [])].find((held) => !held.isDropped && !held.hasBegun && isNextLook(held.message))
  }

  return {
    count: () => count,
    take(message, now, dueAt = now) {
      const held: Held = { message, since: now, dueAt, isDropped: false, hasBegun: false, isRunning: false }
      count++
      const rival = rivalOf(message)
      if (rival !== undefined) drop(attemptOf(rival.message) > attemptOf(message) ? rival : held)
      all.add(held)
      if (message.kind === 'nodeClaim') ofClaims.set(message.claim, (ofClaims.get(message.claim) ?? new Set()).add(held))
      return held
    },
    delay(held, dueAt) {
      held.dueAt = dueAt
      tell()
    },
    letGo(held) {
      if (!held.isDropped) count--
      all.delete(held)
      tell()
      if (held.message.kind === 'doorbell') return
      const { claim } = held.message
      const others = ofClaims.get(claim)
      others?.delete(held)
      if (others?.size === 0) ofClaims.delete(claim)
    },
    dropComing(claim, before) {
      for (const held of ofClaims.get(claim) ?? []) {
        if (held.isDropped || held.since >= before || !isOfComing(held.message)) continue
        drop(held)
      }
    },
    follows: (claim, now) =>
      [...(ofClaims.get(claim) ?? [])].some(
        ({ isDropped, message, dueAt }) => !isDropped && isOfChain(message) && now < dueAt + OVERDUE_MS,
      ),
    nextDueAt() {
      let next = Number.POSITIVE_INFINITY
      for (const { dueAt, isDropped, isRunning } of all) if (dueAt < next && (isRunning || !isDropped)) next = dueAt
      return next === Number.POSITIVE_INFINITY ? undefined : epochMs(next)
    },
    changed: () => new Promise((resolve) => void watchers.push(resolve)),
  }
}

function isOfChain(message: Doorbell | ClaimMessage): message is ClaimMessage {
  return message.kind === 'nodeClaim' && message.follow
}

function isOfComing(message: Doorbell | ClaimMessage): boolean {
  return isOfChain(message) && message.known?.isComing === true
}

/** Reports whether the message is a later look of a chain, and is not about the claim's way to initialization or about another node. */
function isNextLook(message: Doorbell | ClaimMessage): message is ClaimMessage {
  return isOfChain(message) && message.attempt > 0 && message.known === undefined
}

function attemptOf(message: Doorbell | ClaimMessage): number {
  return message.kind === 'nodeClaim' ? message.attempt : 0
}
