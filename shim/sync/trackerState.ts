import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import type { EpochMs } from '../../shared/model/units.ts'
import { type HeldText, packText } from './heldText.ts'
import { createKnownObjects, type KnownObjects } from './knownObjects.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { DELETED, type ReducedVersion } from './reducedVersion.ts'

export type ChangeTrackerDeps = { readonly now: () => EpochMs; readonly onUnsent: () => void }

/** The state of the change tracker. `changeTracker.ts` says why it is enough. */
export type TrackerState = {
  readonly deps: ChangeTrackerDeps
  readonly known: { readonly [Kind in ObjectKind]: KnownObjects }
  readonly outbox: Outbox
  /** The text of each pod that waits for a node, as last queued. */
  readonly pending: Map<string, HeldText>
  /** While a snapshot lists a kind: the keys whose deletion was posted meanwhile. */
  readonly deletedDuringList: Map<ObjectKind, string[]>
  lastSeq: number
}

export type Seen = { readonly kind: ObjectKind; readonly key: string; readonly version: ReducedVersion }

export function createTrackerState(deps: ChangeTrackerDeps): TrackerState {
  return { deps, known: emptyTables(), outbox: createOutbox(), pending: new Map(), deletedDuringList: new Map(), lastSeq: 0 }
}

/** Queues the version, unless the app will hold it anyway. */
export function see(state: TrackerState, seen: Seen): void {
  const { kind, key, version } = seen
  if (version.op === 'delete' ? isGone(state, kind, key) : state.known[kind].fingerprint(key) === version.fingerprint) return
  state.known[kind].queue(key, version.fingerprint)
  const text = notePending(state, seen)
  state.outbox.put({ kind, key, at: state.deps.now(), op: version.op, text })
  state.deps.onUnsent()
}

/** Returns the text of the version as it is held. */
export function notePending({ pending }: TrackerState, { kind, key, version }: Seen): HeldText {
  if (kind === 'pod') pending.delete(key)
  if (!version.pending) return version.text
  const text = packText(version.text)
  pending.set(key, text)
  return text
}

export function isGone({ known }: TrackerState, kind: ObjectKind, key: string): boolean {
  const fingerprint = known[kind].fingerprint(key)
  return fingerprint === undefined || fingerprint === DELETED.fingerprint
}

/** The keys of a kind, each with the number of its row. The number of a key that is forgotten goes to another key. */
export type KeyRows = {
  rowOf(key: string): number | undefined
  present(): Iterable<readonly [key: string, row: number]>
}

export function rowsOf(state: TrackerState, kind: ObjectKind): KeyRows {
  const table = state.known[kind]
  return {
    rowOf: table.slotOf,
    *present() {
      for (const entry of table.slots()) if (!isGone(state, kind, entry[0])) yield entry
    },
  }
}

/** Removes a deleted key from the table once its deletion has a number. While a list may still show the key, the key stays. */
export function forgetDeleted({ known, deletedDuringList }: TrackerState, kind: ObjectKind, key: string): void {
  const kept = deletedDuringList.get(kind)
  if (kept) kept.push(key)
  else known[kind].forget(key)
}

function emptyTables(): TrackerState['known'] {
  return {
    pod: createKnownObjects(),
    node: createKnownObjects(),
    nodeClaim: createKnownObjects(),
    nodePool: createKnownObjects(),
    nodeClass: createKnownObjects(),
    daemonSet: createKnownObjects(),
    podDisruptionBudget: createKnownObjects(),
    persistentVolumeClaim: createKnownObjects(),
    persistentVolume: createKnownObjects(),
    storageClass: createKnownObjects(),
    csiNode: createKnownObjects(),
    volumeAttachment: createKnownObjects(),
    namespace: createKnownObjects(),
    nodeOverlay: createKnownObjects(),
    capacityBuffer: createKnownObjects(),
    podTemplate: createKnownObjects(),
    deployment: createKnownObjects(),
    statefulSet: createKnownObjects(),
    replicaSet: createKnownObjects(),
    replicationController: createKnownObjects(),
    service: createKnownObjects(),
  }
}
