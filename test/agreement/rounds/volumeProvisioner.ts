/** Makes volumes as the disk driver's provisioner does: once the scheduler has selected a node for the pod of a claim, in the zone of that node. */
import type { KubeCalls } from '../kubeCalls.ts'
import { DISK_ZONE, provisionedVolume } from './manifests.ts'

export type SeenClaim = {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly uid: string
    readonly annotations?: { readonly [key: string]: string }
    readonly finalizers?: readonly string[]
  }
  readonly spec: { readonly volumeName?: string; readonly storageClassName?: string }
  readonly status?: { readonly phase?: string }
}

type Seen = { readonly metadata: { readonly name: string; readonly labels?: { readonly [key: string]: string } } }

const SELECTED_NODE = 'volume.kubernetes.io/selected-node'

/** Returns a function to be called repeatedly. The function reports whether a volume is being made. */
export function createVolumeProvisioner({ list, create }: KubeCalls): () => Promise<boolean> {
  return async () => {
    const waiting = (await list<SeenClaim>('/api/v1/persistentvolumeclaims')).filter(
      ({ metadata, spec }) => spec.volumeName === undefined && metadata.annotations?.[SELECTED_NODE] !== undefined,
    )
    if (waiting.length === 0) return false
    const zones = new Map((await list<Seen>('/api/v1/nodes')).map(({ metadata }) => [metadata.name, metadata.labels?.[DISK_ZONE]]))
    const made = new Set((await list<Seen>('/api/v1/persistentvolumes')).map(({ metadata }) => metadata.name))
    for (const { metadata, spec } of waiting) {
      const { namespace, name, uid, annotations } = metadata
      const volume = `pvc-${uid}`
      const zone = zones.get(annotations?.[SELECTED_NODE] ?? '')
      if (zone === undefined || made.has(volume)) continue
      await create('/api/v1/persistentvolumes', [provisionedVolume({ namespace, name, uid }, volume, spec.storageClassName, zone)])
    }
    return true
  }
}
