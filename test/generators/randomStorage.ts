/** PersistentVolumeClaims of every kind: bound in a zone, bound to a machine, unbound, and a few that no pod can use. */
import type { Random } from '../agreement/random.ts'
import { HOST, ZONE, ZONES } from './words.ts'

export type Json = { readonly metadata: { readonly name: string; readonly [field: string]: unknown }; readonly [field: string]: unknown }

export type Storage = {
  readonly storageClasses: readonly Json[]
  readonly persistentVolumes: readonly Json[]
  readonly persistentVolumeClaims: readonly Json[]
}

const DRIVER = 'disk.csi.azure.com'
export const CLAIM_NAMES: readonly string[] = ['data-0', 'data-1', 'data-2', 'data-3', 'data-4', 'data-5']
/** Claims that are always bound, so that running pods can use them. */
export const BOUND_NAMES = CLAIM_NAMES.slice(0, 2)

export function randomStorage(random: Random): Storage {
  const claims = CLAIM_NAMES.map((name) => randomClaim(random, name))
  return {
    storageClasses: [
      { metadata: { name: 'disk' }, provisioner: DRIVER, volumeBindingMode: 'WaitForFirstConsumer' },
      {
        metadata: { name: 'zonal' },
        provisioner: DRIVER,
        volumeBindingMode: 'WaitForFirstConsumer',
        allowedTopologies: [
          { matchLabelExpressions: [{ key: 'topology.disk.csi.azure.com/zone', values: random.some(ZONES, 0.5).concat('eastus-2') }] },
        ],
      },
      { metadata: { name: 'at-once' }, provisioner: DRIVER, volumeBindingMode: 'Immediate' },
    ],
    persistentVolumes: claims.flatMap(({ volume }) => (volume === undefined ? [] : [volume])),
    persistentVolumeClaims: claims.map(({ claim }) => claim),
  }
}

function randomClaim(random: Random, name: string): { readonly claim: Json; readonly volume?: Json } {
  const metadata = { name, namespace: 'default' }
  const isSound = BOUND_NAMES.includes(name)
  if (!isSound && random.chance(0.5)) {
    return {
      claim: { metadata, spec: { storageClassName: random.pick(['disk', 'disk', 'zonal', 'at-once']) }, status: { phase: 'Pending' } },
    }
  }
  const volumeName = `pv-${name}`
  const annotations = isSound || random.chance(0.95) ? { 'pv.kubernetes.io/bind-completed': 'yes' } : {}
  return {
    claim: {
      metadata: { ...metadata, annotations },
      spec: { storageClassName: 'disk', volumeName },
      status: { phase: isSound || random.chance(0.95) ? 'Bound' : 'Lost' },
    },
    volume: randomVolume(random, volumeName),
  }
}

function randomVolume(random: Random, name: string): Json {
  const zone = (values: readonly string[]): object => ({ key: ZONE, operator: 'In', values })
  if (random.chance(0.15)) {
    const matchExpressions = [{ key: HOST, operator: 'In', values: ['gone'] }]
    return {
      metadata: { name },
      spec: { local: { path: '/mnt' }, nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } },
    }
  }
  const terms = random.pick([
    [{ matchExpressions: [zone([random.pick(ZONES)])] }],
    [{ matchExpressions: [zone(['eastus-1'])] }, { matchExpressions: [zone(['eastus-3'])] }],
    [{ matchExpressions: [{ key: 'topology.disk.csi.azure.com/zone', operator: 'In', values: [random.pick(ZONES)] }] }],
  ])
  return { metadata: { name }, spec: { csi: { driver: DRIVER }, nodeAffinity: { required: { nodeSelectorTerms: terms } } } }
}
