import type { OtherKind, OtherObjects } from '../../snapshot/otherObjects.ts'
import { type Attachable, attachableOn } from '../nodes/existingNodeOf.ts'
import { attachedIndex, type HostnameOf, type VolumeIndex, volumeIndex } from '../pods/volumes.ts'

/** What volumes require and how many volumes machines can attach. Worked out when first needed, and kept until a volume or a limit changes. */
export interface VolumeCache {
  index(): VolumeIndex
  /** Reports whether one pod at a time may use the claim. */
  isOncePod(claim: string): boolean
  readonly attachable: Attachable
  changed(kinds: ReadonlySet<OtherKind>): void
  /** A number that changes with each change of volumes or limits. */
  version(): number
}

const KINDS = ['persistentVolumeClaim', 'persistentVolume', 'storageClass', 'csiNode'] as const satisfies readonly OtherKind[]

export function createVolumeCache(objects: () => OtherObjects, hostnameOf: HostnameOf): VolumeCache {
  let known: VolumeIndex | undefined
  let attachable: Attachable | undefined
  let once: ReadonlySet<string> | undefined
  let version = 0

  function index(): VolumeIndex {
    known ??= volumeIndex(objects(), hostnameOf)
    return known
  }

  return {
    index,
    isOncePod(claim) {
      once ??= new Set(objects().persistentVolumeClaim.flatMap(({ key, isOncePod }) => (isOncePod === true ? [key] : [])))
      return once.has(claim)
    },
    attachable(...asked) {
      attachable ??= attachableOn(objects().csiNode, attachedIndex(objects()))
      return attachable(...asked)
    },
    changed(kinds) {
      if (!KINDS.some((kind) => kinds.has(kind))) return
      known = undefined
      once = undefined
      attachable = undefined
      version++
    },
    version: () => version,
  }
}
