import type { ClusterSnapshot, DecisionSettings } from '../../shared/model/clusterSnapshot.ts'
import { clusterId, DEFAULT_MACHINE_NAMES, nodeClassName } from '../../shared/model/ids.ts'
import type { InstanceType } from '../../shared/model/instanceType.ts'
import { durationMs } from '../../shared/model/units.ts'
import { catalog } from './catalog.ts'
import { MINUTE, NOW } from './clock.ts'
import { nodeClass } from './nodeClass.ts'
import { nodePool } from './nodePool.ts'

export type SnapshotShape = Partial<Omit<ClusterSnapshot, 'objects' | 'settings' | 'instanceTypes' | 'cluster'>> & {
  readonly objects?: Partial<ClusterSnapshot['objects']>
  readonly settings?: Partial<DecisionSettings>
  /** Sizes of NodeClass `default`, or of each NodeClass by name. */
  readonly types?: readonly InstanceType[] | { readonly [nodeClass: string]: readonly InstanceType[] }
}

/** One ready NodePool and NodeClass named `default`, a catalog of twelve sizes, nothing else. */
export function snapshot(shape: SnapshotShape = {}): ClusterSnapshot {
  const { objects, settings: some, types = catalog(), ...overrides } = shape
  return {
    cluster: clusterId('test'),
    takenAt: NOW,
    decision: 1,
    drafts: [],
    nominations: [],
    commands: [],
    backOffs: [],
    unavailable: [],
    settings: settings(some),
    objects: {
      pod: [],
      node: [],
      nodeClaim: [],
      nodePool: [nodePool()],
      nodeClass: [nodeClass()],
      daemonSet: [],
      podDisruptionBudget: [],
      persistentVolumeClaim: [],
      persistentVolume: [],
      storageClass: [],
      csiNode: [],
      volumeAttachment: [],
      namespace: [],
      nodeOverlay: [],
      capacityBuffer: [],
      podTemplate: [],
      deployment: [],
      statefulSet: [],
      replicaSet: [],
      replicationController: [],
      service: [],
      ...objects,
    },
    instanceTypes: new Map(Object.entries(isList(types) ? { default: types } : types).map(([name, list]) => [nodeClassName(name), list])),
    ...overrides,
  }
}

export function settings(overrides: Partial<DecisionSettings> = {}): DecisionSettings {
  return {
    minValuesPolicy: 'Strict',
    preferencePolicy: 'Respect',
    maxInstanceTypes: 600,
    launchTimeout: durationMs(5 * MINUTE),
    registrationTimeout: durationMs(15 * MINUTE),
    machineNames: DEFAULT_MACHINE_NAMES,
    ...overrides,
  }
}

function isList(types: NonNullable<SnapshotShape['types']>): types is readonly InstanceType[] {
  return Array.isArray(types)
}
