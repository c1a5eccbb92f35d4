/** The Kubernetes objects of a scenario as Joiner reads them, with the defaults of the API server. */
import { ownValue } from '../../shared/base/values.ts'
import type { ObjectByKind, ObjectKind } from '../../shared/model/clusterObjects.ts'
import type { ClusterSnapshot, DecisionSettings } from '../../shared/model/clusterSnapshot.ts'
import { vmSizeName, zoneName } from '../../shared/model/ids.ts'
import type { CapacityType, InstanceType } from '../../shared/model/instanceType.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Node } from '../../shared/model/node.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import { usdPerHour } from '../../shared/model/units.ts'
import { objectFromKube } from '../../shared/wire/kube/object.ts'
import { oneOf } from '../builders/instanceType.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { snapshot } from '../builders/snapshot.ts'
import { amountsOf } from './amountsOf.ts'

type Quantities = { readonly [resource: string]: string }
type Raw = { readonly metadata: { readonly [field: string]: unknown }; readonly [field: string]: unknown }

export type RawScenario = {
  readonly name: string
  readonly family: string
  readonly features?: readonly string[]
  readonly options: Pick<DecisionSettings, 'minValuesPolicy' | 'preferencePolicy'>
  readonly wellKnownLabels: readonly string[]
  readonly instanceTypes: readonly RawInstanceType[]
  readonly nodePools: readonly Raw[]
  readonly daemonSets: readonly Raw[]
  readonly nodes: readonly Raw[]
  readonly boundPods: readonly Raw[]
  readonly pods: readonly Raw[]
  readonly namespaces: readonly Raw[]
  readonly storage?: { readonly [List in 'storageClasses' | 'persistentVolumes' | 'persistentVolumeClaims' | 'csiNodes']?: readonly Raw[] }
}

type RawVolumeSpec = {
  readonly local?: unknown
  readonly hostPath?: unknown
  readonly nodeAffinity?: {
    readonly required?: { readonly nodeSelectorTerms?: readonly { readonly matchExpressions?: readonly { readonly key: string }[] }[] }
  }
}

type RawInstanceType = {
  readonly name: string
  readonly requirements: { readonly [key: string]: readonly string[] }
  readonly capacity: Quantities
  readonly overhead: Quantities
  readonly offerings: readonly {
    readonly zone: string
    readonly capacityType: CapacityType
    readonly price: number
    readonly available: boolean
  }[]
}

const WAITING = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime: '2025-03-01T10:00:00Z' }],
}
const READY = { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2025-03-01T08:00:00Z' }] }

export function snapshotOfScenario(scenario: RawScenario): ClusterSnapshot {
  const { storage = {} } = scenario
  const node = all('node', scenario.nodes)
  return snapshot({
    settings: scenario.options,
    types: scenario.instanceTypes.map(instanceTypeOf),
    objects: {
      pod: [...all('pod', scenario.pods, WAITING), ...all('pod', scenario.boundPods, { phase: 'Running' })],
      node,
      nodeClaim: node.filter((each) => each.meta.labels[LABEL.nodePool] !== undefined).map(claimOf),
      nodePool: all('nodePool', scenario.nodePools, READY),
      daemonSet: all('daemonSet', scenario.daemonSets),
      namespace: all('namespace', scenario.namespaces),
      storageClass: all('storageClass', storage.storageClasses ?? []),
      persistentVolume: all('persistentVolume', (storage.persistentVolumes ?? []).map(withoutHost)),
      persistentVolumeClaim: all('persistentVolumeClaim', storage.persistentVolumeClaims ?? []),
      csiNode: all('csiNode', storage.csiNodes ?? []),
    },
  })
}

/**
 * Removes the host from a local volume. The peer lets a pod with a local volume go to any machine, where the scheduler never binds it. Joiner keeps
 * the pod on the host of the volume (scenarios V5). Without the host, everything else can be compared.
 */
function withoutHost(volume: Raw): Raw {
  const { spec } = volume as { readonly spec?: RawVolumeSpec }
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms
  if (terms === undefined || (spec?.local === undefined && spec?.hostPath === undefined)) return volume
  const nodeSelectorTerms = terms.map((term) => ({
    ...term,
    matchExpressions: (term.matchExpressions ?? []).filter(({ key }) => key !== LABEL.hostname),
  }))
  return { ...volume, spec: { ...spec, nodeAffinity: { required: { nodeSelectorTerms } } } }
}

function all<Kind extends ObjectKind>(kind: Kind, raws: readonly Raw[], status?: object): readonly ObjectByKind[Kind][] {
  return raws.map((raw) => {
    const whole = { ...raw, metadata: { uid: raw.metadata['name'], ...raw.metadata }, ...(status === undefined ? {} : { status }) }
    const read = objectFromKube(kind, whole)
    if (!read.ok) throw new Error(read.error.message)
    return read.value
  })
}

function instanceTypeOf({ name, requirements, capacity, overhead, offerings }: RawInstanceType): InstanceType {
  const amounts = amountsOf(capacity)
  return {
    name: vmSizeName(name),
    requirements: Object.keys(requirements)
      .sort()
      .map((key) => oneOf(key, ownValue(requirements, key) ?? [])),
    capacity: amounts,
    overhead: amountsOf(overhead),
    offerings: offerings.map(({ zone, capacityType, price, available }) => ({
      zone: zoneName(zone),
      capacityType,
      price: usdPerHour(price),
      available,
      requirements: [oneOf(LABEL.capacityType, [capacityType]), oneOf(LABEL.zone, [zone])],
    })),
    family: '',
    cpus: (amounts['cpu'] ?? 0) / 1000,
  }
}

/** The initialized claim of a managed node: same machine, same labels. */
function claimOf(node: Node): NodeClaim {
  const { labels } = node.meta
  const base = nodeClaim({ name: `claim-${node.name}`, nodePool: labels[LABEL.nodePool] ?? '' })
  return {
    ...base,
    meta: { ...base.meta, labels },
    status: {
      ...base.status,
      nodeName: node.name,
      ...(node.providerId === undefined ? {} : { providerId: node.providerId }),
      capacity: node.capacity,
      allocatable: node.allocatable,
    },
  }
}
