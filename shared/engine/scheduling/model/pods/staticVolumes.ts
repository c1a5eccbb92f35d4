/** Which existing volumes a claim that is not bound can have, as kube-scheduler matches them. */
import { selects } from '../../../../model/labelSelector.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../../../model/workloads.ts'

/** The provisioner of storage classes that make no volumes. Local volumes are mostly of such a class. */
const NO_PROVISIONER = 'kubernetes.io/no-provisioner'

export function makesNoVolumes({ provisioner }: { readonly provisioner: string }): boolean {
  return provisioner === NO_PROVISIONER
}

/**
 * The volumes of the class that the claim can have. A volume that is reserved for the claim is the only one. Two claims may get the same volume here:
 * the scheduler gives it to one of them, and the other claim then finds it taken.
 */
export function volumesFor(claim: PersistentVolumeClaim, volumes: Iterable<PersistentVolume>): readonly PersistentVolume[] {
  const fitting = [...volumes].filter((volume) => canHave(claim, volume))
  const reserved = fitting.filter(({ offers }) => offers?.claim !== undefined)
  return reserved.length > 0 ? reserved : fitting
}

function canHave({ key, uid, storageClassName, asks }: PersistentVolumeClaim, { offers, deleted }: PersistentVolume): boolean {
  if (offers === undefined || deleted === true || offers.storageClass !== storageClassName) return false
  if (offers.claim !== undefined) return offers.claim === key && (offers.claimUid ?? uid) === uid
  if (asks === undefined) return true
  return (
    offers.storage >= asks.storage &&
    offers.isBlock === asks.isBlock &&
    asks.accessModes.every((mode) => offers.accessModes.includes(mode)) &&
    (asks.selector === undefined || selects(asks.selector, offers.labels))
  )
}
