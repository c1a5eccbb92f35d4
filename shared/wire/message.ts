import type { Result } from '../base/result.ts'
import type { NodeClaimName, NodeName } from '../model/ids.ts'
import type { ClaimHints, ClaimMessage, Doorbell, LaunchHints, WaitingPods } from '../model/message.ts'
import type { Problem } from '../model/problem.ts'
import { clusterIdText } from './clusterIdText.ts'
import { as, type Codec, constant, decode, flag, integer, list, NO_ITEMS, oneOf, optional, orElse, record, text } from './codec.ts'
import { nodeOverlay } from './objects/capacityBuffer.ts'
import { node, nodeClaim, nodeClass, nodePool } from './objects/node.ts'
import { instant, uidText } from './objects/shared.ts'
import { checkVersion } from './version.ts'

const VERSION = 1
/** A queue message is limited to 64 KiB, including XML escapes. */
const MOST_BYTES = 48 * 1024

/** Parses a message of the `reconcile` queue from JSON. */
export function parseDoorbell(json: unknown): Result<Doorbell, Problem> {
  return parse(json, 'doorbell', doorbell)
}

export function printDoorbell(message: Doorbell): string {
  return print(doorbell, message)
}

/** Parses a message of the `nodeclaim` queue from JSON. */
export function parseClaimMessage(json: unknown): Result<ClaimMessage, Problem> {
  return parse(json, 'claim message', claimMessage)
}

/** Prints the message, without `known` if it would be too large. The receiver reads what is missing. */
export function printClaimMessage(message: ClaimMessage): string {
  const text = print(claimMessage, message)
  if (message.known === undefined || Buffer.byteLength(text) <= MOST_BYTES) return text
  const { known: _, ...plain } = message
  return print(claimMessage, plain)
}

const doorbell: Codec<Doorbell> = record<Doorbell>({
  kind: constant('doorbell'),
  cluster: clusterIdText,
  because: oneOf('changes', 'resync', 'disruption', 'interruption', 'capacity', 'retry', 'wake'),
  eventAt: instant,
  urgent: flag,
  pendingPods: optional(integer),
  waiting: optional(record<WaitingPods>({ refused: list(uidText), unseen: list(uidText) })),
})

const known: Codec<ClaimHints> = record<ClaimHints>({
  isComing: optional(flag),
  launch: optional(
    record<LaunchHints>({
      claim: nodeClaim,
      nodeClass,
      nodeOverlays: orElse(list(nodeOverlay), NO_ITEMS),
      nodePool: optional(nodePool),
    }),
  ),
  node: optional(node),
  otherNodes: optional(list(as<NodeName>(text))),
})

const claimMessage: Codec<ClaimMessage> = record<ClaimMessage>({
  kind: constant('nodeClaim'),
  cluster: clusterIdText,
  claim: as<NodeClaimName>(text),
  follow: flag,
  sentAt: instant,
  attempt: integer,
  trace: optional(text),
  known: optional(known),
})

function parse<Message>(json: unknown, object: string, codec: Codec<Message>): Result<Message, Problem> {
  const versioned = checkVersion(json, { object, known: VERSION, newer: 'INPUT.UNSUPPORTED_VERSION' })
  return versioned.ok ? decode(codec, versioned.value, { object }) : versioned
}

function print<Message extends object>(codec: Codec<Message>, message: Message): string {
  return JSON.stringify({ v: VERSION, ...(codec.write(message) as object) })
}
