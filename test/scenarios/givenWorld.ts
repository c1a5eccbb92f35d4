/** Builds the snapshot of a scenario. */
import { defined } from '../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { nodeClaimName, objectKey, uid } from '../../shared/model/ids.ts'
import type { Workload } from '../../shared/model/workloads.ts'
import { capacityBuffer, podTemplate } from '../builders/capacityBuffer.ts'
import { hence, NOW, SECOND } from '../builders/clock.ts'
import { condition } from '../builders/condition.ts'
import { nodeClass } from '../builders/nodeClass.ts'
import { nodeOverlay } from '../builders/nodeOverlay.ts'
import { nodePool } from '../builders/nodePool.ts'
import { settings, snapshot } from '../builders/snapshot.ts'
import { DEFAULT } from './fixtureTypes.ts'
import { machineOf } from './givenNode.ts'
import { podsOf, templatePod } from './givenPod.ts'
import { storageOf } from './givenStorage.ts'
import { refuseUnknownGiven } from './knownWords.ts'
import { labels, requirements, resources, selector, taints } from './notation.ts'
import type { Given, PoolGiven } from './scenario.ts'
import { upsert } from './upsert.ts'

/** A snapshot with the keys of the pods that each name of the scenario means. */
export type World = { readonly snapshot: ClusterSnapshot; readonly groups: ReadonlyMap<string, readonly string[]> }

type Objects = Partial<ClusterSnapshot['objects']>

export function worldOf(given: Given): World {
  const pools = Object.entries(given.pools ?? { default: {} })
  const types = given.types ?? DEFAULT
  const classes = Array.isArray(types) ? ['default'] : Object.keys(types)
  const empty = snapshot({
    types,
    objects: { nodePool: [], nodeClass: classes.map((name) => nodeClass({ name })) },
    settings: settings(given.settings),
  })
  return withGiven({ snapshot: empty, groups: new Map() }, { ...given, pools: Object.fromEntries(pools) })
}

/** The world with more objects. An object with the name of an existing one replaces it, except for pods. */
export function withGiven(world: World, given: Given): World {
  refuseUnknownGiven('given', given)
  const before = world.snapshot
  const machines = Object.entries(given.nodes ?? {}).flatMap(([name, each]) => machineOf(name, each))
  const known = new Set<string>([...before.objects.node, ...machines.flatMap(({ node }) => node ?? [])].map((node) => node.name))
  const nodeNameOf = (name: string): string => (known.has(name) ? name : `joiner-${name}`)
  let rank = before.objects.pod.length
  const groups = new Map(world.groups)
  const pods = Object.entries(given.pods ?? {}).flatMap(([group, each]) => {
    const list = podsOf(group, each, rank, nodeNameOf)
    rank += list.length
    groups.set(group, [...new Set([...(groups.get(group) ?? []), ...list.map((pod) => pod.key)])])
    return list
  })
  const objects: Objects = {
    ...before.objects,
    pod: upsert(pods, before.objects.pod, (each) => each.key),
    node: upsert(
      before.objects.node,
      machines.flatMap(({ node }) => node ?? []),
      (each) => each.name,
    ),
    nodeClaim: upsert(
      before.objects.nodeClaim,
      machines.flatMap(({ claim }) => claim ?? []),
      (each) => each.name,
    ),
    csiNode: upsert(
      before.objects.csiNode,
      machines.flatMap(({ csiNode }) => csiNode ?? []),
      (each) => each.name,
    ),
    nodePool: upsert(
      before.objects.nodePool,
      Object.entries(given.pools ?? {}).map(([name, each]) => poolOf(name, each)),
      (each) => each.name,
    ),
    daemonSet: upsert(before.objects.daemonSet, daemonsOf(given), (each) => each.key),
    ...policiesOf(before, given),
    ...storageOf(before, given, pods),
    ...othersOf(before, given),
  }
  const drafts = machines.flatMap(({ draft }) => draft ?? [])
  return {
    groups,
    snapshot: {
      ...before,
      objects: { ...before.objects, ...objects },
      drafts: [...before.drafts, ...drafts],
      nominations: [...before.nominations, ...promisesOf(given)],
      unavailable: [...before.unavailable, ...(given.unavailable ?? [])],
      demoted: [...(before.demoted ?? []), ...(given.demoted ?? [])],
      settings: { ...before.settings, ...given.settings },
      instanceTypes: given.types === undefined ? before.instanceTypes : snapshot({ types: given.types }).instanceTypes,
    },
  }
}

function poolOf(name: string, given: PoolGiven) {
  const isReady = given.ready !== false
  return nodePool(
    defined({
      name,
      nodeClass: given.class ?? 'default',
      meta: given.deleting === true ? { deletedAt: NOW } : {},
      template: defined({
        labels: labels(given.labels),
        annotations: given.annotations ?? {},
        requirements: requirements(given.needs),
        taints: taints(given.taints),
        startupTaints: taints(given.startupTaints),
        terminationGracePeriod: given.grace,
      }),
      limits: resources(given.limits),
      weight: given.weight,
      replicas: given.replicas,
      status: isReady
        ? undefined
        : { conditions: [condition('Ready', { status: 'False', message: 'its class is not ready' })], resources: {} },
    }),
  )
}

function daemonsOf({ daemons = {} }: Given) {
  return Object.entries(daemons).map(([name, each]) => {
    const namespace = each.namespace ?? 'kube-system'
    return { key: objectKey(namespace, name), uid: uid(`uid-ds-${name}`), pod: templatePod(name, { namespace, ...each }) }
  })
}

function policiesOf({ objects }: ClusterSnapshot, { budgets = {}, namespaces = {} }: Given): Objects {
  const added = Object.entries(budgets).map(([name, { of, ...rest }]) => ({
    key: objectKey('default', name),
    uid: uid(`uid-pdb-${name}`),
    selector: selector(of),
    disruptionsAllowed: 0,
    unhealthyPodEvictionPolicy: 'IfHealthyBudget' as const,
    conditions: [],
    ...rest,
  }))
  const spaces = Object.entries(namespaces).map(([name, text]) => ({ name, uid: uid(`uid-ns-${name}`), labels: labels(text) }))
  return {
    podDisruptionBudget: upsert(objects.podDisruptionBudget, added, (each) => each.key),
    namespace: upsert(objects.namespace, spaces, (each) => each.name),
  }
}

function othersOf({ objects }: ClusterSnapshot, given: Given): Objects {
  const { services = {}, workloads = {}, overlays = {}, buffers = {}, templates = {} } = given
  const service = Object.entries(services).map(([name, text]) =>
    defined({ key: objectKey('default', name), uid: uid(`uid-svc-${name}`), selector: text === null ? undefined : labels(text) }),
  )
  const workload = Object.entries(workloads).map(([name, each]) =>
    defined({
      key: objectKey('default', name),
      uid: uid(`uid-${name}`),
      apiVersion: each.apiVersion ?? 'apps/v1',
      kind: each.kind,
      replicas: each.replicas ?? 1,
      selector: each.selector === undefined ? undefined : selector(each.selector),
      pod: each.pod === undefined ? undefined : templatePod(name, each.pod),
    }),
  )
  const overlaid = Object.entries(overlays).map(([name, { needs, ...rest }]) =>
    nodeOverlay({ name, requirements: requirements(needs), ...rest }),
  )
  const spare = Object.entries(buffers).map(([name, { template, scalable, limits, ...rest }]) =>
    capacityBuffer(
      defined({
        name,
        podTemplate: template,
        scalable:
          scalable === undefined ? undefined : { apiGroup: 'apps', kind: scalable.split('/')[0] ?? '', name: scalable.split('/')[1] ?? '' },
        limits: limits === undefined ? undefined : resources(limits),
        ...rest,
      }),
    ),
  )
  const shapes = Object.entries(templates).map(([name, each]) => ({ ...podTemplate(name), pod: templatePod(name, each) }))
  return {
    service: upsert(objects.service, service, (each) => each.key),
    ...byKind(objects, workload),
    nodeOverlay: upsert(objects.nodeOverlay, overlaid, (each) => each.name),
    capacityBuffer: upsert(objects.capacityBuffer, spare, (each) => each.key),
    podTemplate: upsert(objects.podTemplate, shapes, (each) => each.key),
  }
}

function byKind(objects: ClusterSnapshot['objects'], workloads: readonly Workload[]): Objects {
  const of = (present: readonly Workload[], kind: string): readonly Workload[] =>
    upsert(
      present,
      workloads.filter((each) => each.kind === kind),
      (each) => each.key,
    )
  return {
    deployment: of(objects.deployment, 'Deployment'),
    statefulSet: of(objects.statefulSet, 'StatefulSet'),
    replicaSet: of(objects.replicaSet, 'ReplicaSet'),
    replicationController: of(objects.replicationController, 'ReplicationController'),
  }
}

function promisesOf({ promised = {} }: Given): ClusterSnapshot['nominations'] {
  return Object.entries(promised).map(([pod, promise]) => {
    const { to, until } = typeof promise === 'string' ? { to: promise, until: hence(20 * SECOND) } : promise
    return { pod: uid(`uid-default-${pod}`), claim: nodeClaimName(to), until }
  })
}
