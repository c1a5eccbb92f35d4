import { builtInSizes } from '../../local/azure/sizes/sizeFamilies.ts'
import { skuRecord } from '../../local/azure/sizes/vmSize.ts'
import type { Manifest } from '../../local/manifests.ts'
import { buildInstanceTypes } from '../../shared/adapters/azure/sizes/instanceTypes.ts'
import { usableSize } from '../../shared/adapters/azure/sizes/size.ts'
import { withStatus } from '../../shared/engine/status/decideStatus.ts'
import type { ObjectByKind, ObjectKind } from '../../shared/model/clusterObjects.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { InstanceType } from '../../shared/model/instanceType.ts'
import type { NodeClass } from '../../shared/model/nodeClass.ts'
import { usdPerHour } from '../../shared/model/units.ts'
import { parseResourceSku } from '../../shared/wire/azure/sizeRecord.ts'
import { objectFromKube } from '../../shared/wire/kube/object.ts'
import { clusterConfig } from '../azure/harness.ts'
import { NOW } from '../builders/clock.ts'
import { statusOf } from '../builders/decided.ts'
import { snapshot } from '../builders/snapshot.ts'

const REGION = {
  subscriptionId: '00000000-0000-4000-8000-000000000001',
  tenantId: '00000000-0000-4000-8000-000000000002',
  location: 'eastus',
  resourceGroups: ['MC_demo_demo_eastus'],
  subnetId: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n',
} as const

type DeploymentManifest = Manifest & {
  readonly spec: { readonly replicas: number; readonly template: { readonly metadata: object; readonly spec: object } }
}

/** The cluster with these objects, their pending pods, and the conditions that Joiner writes. */
export function planned(manifests: readonly Manifest[]): ClusterSnapshot {
  const of = <Kind extends ObjectKind>(kind: Kind, from: readonly unknown[]): readonly ObjectByKind[Kind][] =>
    from.map((each) => read(kind, each))
  const named = (kind: string) => manifests.filter((each) => each.kind === kind)
  const classes = of('nodeClass', named('AKSNodeClass'))
  const given = snapshot({
    types: Object.fromEntries(classes.map((each) => [each.name, regionSizes(each)])),
    objects: {
      nodePool: of('nodePool', named('NodePool')),
      nodeClass: classes,
      capacityBuffer: of('capacityBuffer', named('CapacityBuffer')),
      podTemplate: of('podTemplate', named('PodTemplate')),
      pod: of('pod', named('Deployment').flatMap(podsOf)).map((pod) => ({ ...pod, createdAt: NOW, unschedulableSince: NOW })),
    },
  })
  // The status of a pool depends on its class, and that of a buffer on both. Three passes settle all.
  let seen = given
  for (let pass = 0; pass < 3; pass++) seen = withStatus(seen, statusOf(seen))
  return seen
}

function podsOf(manifest: Manifest): readonly object[] {
  const { metadata, spec } = manifest as DeploymentManifest
  return Array.from({ length: spec.replicas }, (_, index) => {
    const name = `${metadata.name}-${index}`
    const own = { name, namespace: 'default', uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...spec.template.metadata, ...own },
      spec: spec.template.spec,
      status: { phase: 'Pending' },
    }
  })
}

function read<Kind extends ObjectKind>(kind: Kind, json: unknown): ObjectByKind[Kind] {
  const result = objectFromKube(kind, json)
  if (!result.ok) throw new TypeError(result.error.message)
  return result.value
}

/** The instance types that the app makes from the sizes of the embedded Azure. */
function regionSizes(nodeClass: NodeClass): readonly InstanceType[] {
  const sizes = builtInSizes()
  const records = sizes.flatMap((size) => parseResourceSku(skuRecord(size, 'eastus'), 'eastus') ?? [])
  const prices = Object.fromEntries(
    sizes.map(({ name, onDemandUsd = 1, spotUsd = 1 }) => [name, { onDemand: usdPerHour(onDemandUsd), spot: usdPerHour(spotUsd) }]),
  )
  const usable = records.flatMap((record) => usableSize(record) ?? [])
  return buildInstanceTypes({ sizes: usable, prices, usages: {} }, nodeClass, clusterConfig(REGION))
}
