import { defined } from '../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { nodeName, objectKey, uid } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { VolumeAsk, VolumeOffer } from '../../shared/model/workloads.ts'
import { labels, selector, term, words } from './notation.ts'
import type { ClassGiven, Given, VolumeClaimGiven, VolumeGiven } from './scenario.ts'
import { upsert } from './upsert.ts'

export const DISK = 'disk.csi.azure.com'

/** Volume claims, volumes and storage classes. Includes a claim for each ephemeral volume. */
export function storageOf(
  { objects }: ClusterSnapshot,
  { volumeClaims = {}, volumes = {}, classes = {} }: Given,
  pods: readonly Pod[],
): Partial<ClusterSnapshot['objects']> {
  const [newest] = Object.entries(classes).sort(([, first], [, second]) => (second.isDefault ?? 0) - (first.isDefault ?? 0))
  const made = pods.flatMap((pod) => pod.volumes.flatMap((volume) => (volume.kind === 'ephemeral' ? [volume] : [])))
  // The API server fills in the default class.
  const own = made.map((volume) => claimOf([volume.claimName, { class: volume.storageClassName ?? newest?.[0] ?? '' }]))
  return {
    persistentVolumeClaim: upsert(
      objects.persistentVolumeClaim,
      [...Object.entries(volumeClaims).map(claimOf), ...own],
      (each) => each.key,
    ),
    persistentVolume: upsert(objects.persistentVolume, Object.entries(volumes).map(volumeOf), (each) => each.name),
    storageClass: upsert(objects.storageClass, Object.entries(classes).map(classOf), (each) => each.name),
  }
}

function claimOf([name, given]: readonly [string, VolumeClaimGiven]) {
  return defined({
    key: objectKey('default', name),
    uid: uid(`uid-pvc-${name}`),
    volumeName: given.volume,
    storageClassName: given.class,
    deleted: given.deleting === true,
    isLost: given.lost,
    isBinding: given.unfinished,
    isOncePod: given.once,
    selectedNode: given.selected === undefined ? undefined : nodeName(given.selected),
    asks: given.asks === undefined ? undefined : asksOf(given.asks),
  })
}

function asksOf({ storage = 0, modes, block, selector: selects }: NonNullable<VolumeClaimGiven['asks']>): VolumeAsk {
  return defined({ storage, accessModes: words(modes), isBlock: block, selector: selects === undefined ? undefined : selector(selects) })
}

function offersOf({ class: storageClass, storage = 0, modes, block, ...given }: NonNullable<VolumeGiven['offers']>): VolumeOffer {
  return defined({
    storageClass,
    storage,
    accessModes: words(modes),
    isBlock: block,
    labels: labels(given.labels),
    claim: given.claim === undefined ? undefined : objectKey('default', given.claim),
    claimUid: given.claimUid === undefined ? undefined : uid(given.claimUid),
  })
}

function volumeOf([name, { needs, driver = DISK, deleting, onHost, offers }]: readonly [string, VolumeGiven]) {
  return defined({
    name,
    uid: uid(`uid-pv-${name}`),
    driver: driver === '' || onHost === true ? undefined : driver,
    nodeTerms: needs === undefined ? undefined : (typeof needs === 'string' ? [needs] : needs).map(term),
    deleted: deleting,
    offers: offers === undefined ? undefined : offersOf(offers),
  })
}

function classOf([name, { zones = [], driver = DISK, immediate, isDefault }]: readonly [string, ClassGiven]) {
  return {
    name,
    uid: uid(`uid-class-${name}`),
    provisioner: driver,
    bindingMode: immediate === true ? ('Immediate' as const) : ('WaitForFirstConsumer' as const),
    isDefault: isDefault !== undefined,
    createdAt: isDefault ?? 0,
    allowedTopologies: zones.map((values) => [{ key: LABEL.zone, values: values.split(' ') }]),
  }
}
