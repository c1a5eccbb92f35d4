import type { OtherKind, OtherObjects } from '../../snapshot/otherObjects.ts'
import { type Attachable, attachableOn } from '../nodes/existingNodeOf.ts'
import { attachedIndex, type VolumeIndex, volumeIndex } from '../pods/volumes.ts'

/** What volumes require and how many volumes machines can attach. Worked out when first needed, and kept until a volume or a limit changes. */
export interface VolumeCache {
  index(): VolumeIndex
  readonly attachable: Attachable
  changed(kinds: ReadonlySet<OtherKind>): void
  /** A number that changes with each change of volumes or limits. */
  version(): number
}

const KINDS = ['persistentVolumeClaim', 'persistentVolume', 'storageClass', 'csiNode'] as const satisfies readonly OtherKind[]

export function createVolumeCache(objects: () => OtherObjects): VolumeCache {
  let known: VolumeIndex | undefined
  let attachable: Attachable | undefined
  let version = 0

  function index(): VolumeIndex {
    known ??= volumeIndex(objects())
    return known
  }

  return {
    index,
    attachable(...asked) {
      attachable ??= attachableOn(objects().csiNode, attachedIndex(objects()))
      return attachable(...asked)
    },
    changed(kinds) {
      if (!KINDS.some((kind) => kinds.has(kind))) return
      known = undefined
      attachable = undefined
      version++
    },
    version: () => version,
  }
}
