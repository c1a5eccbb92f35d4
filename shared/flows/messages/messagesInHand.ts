import type { NodeClaimName } from '../../model/ids.ts'
import type { ClaimMessage, Doorbell } from '../../model/message.ts'
import type { EpochMs } from '../../model/units.ts'

/** A message that this process is to work on, now or later. */
export type Held = {
  readonly message: Doorbell | ClaimMessage
  readonly since: EpochMs
  /** True if there is nothing left to do for the message. It no longer counts. */
  isDropped: boolean
  /** True once its work begins. From then on, the message can be followed by the next one of its chain. */
  hasBegun: boolean
}

/** The messages of one cluster that a process has taken on. */
export interface MessagesInHand {
  count(): number
  /** Takes a message on. Of two chains of one claim, the chain with fewer looks since the last change goes on, and the other one is dropped. */
  take(message: Doorbell | ClaimMessage, now: EpochMs): Held
  letGo(held: Held): void
  /** Drops messages that were taken before a time to follow a claim until it is initialized. Other messages may be about later news, and stay. */
  dropComing(claim: NodeClaimName, before: EpochMs): void
  /** Reports whether a message of a chain of the claim is held. */
  follows(claim: NodeClaimName): boolean
}

export function createMessagesInHand(): MessagesInHand {
  const ofClaims = new Map<NodeClaimName, Set<Held>>()
  let count = 0

  function drop(held: Held): void {
    held.isDropped = true
    count--
  }

  /** The message of another chain of the same claim that waits for its time. */
  function rivalOf(message: Doorbell | ClaimMessage): Held | undefined {
    if (!isNextLook(message)) return undefined
    return [...(ofClaims.get(message.claim) ?? [])].find((held) => !held.isDropped && !held.hasBegun && isNextLook(held.message))
  }

  return {
    count: () => count,
    take(message, now) {
      const held: Held = { message, since: now, isDropped: false, hasBegun: false }
      count++
      const rival = rivalOf(message)
      if (rival !== undefined) drop(attemptOf(rival.message) > attemptOf(message) ? rival : held)
      if (message.kind === 'nodeClaim') ofClaims.set(message.claim, (ofClaims.get(message.claim) ?? new Set()).add(held))
      return held
    },
    letGo(held) {
      if (!held.isDropped) count--
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
    follows: (claim) => [...(ofClaims.get(claim) ?? [])].some(({ isDropped, message }) => !isDropped && isOfChain(message)),
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
