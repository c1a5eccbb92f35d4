import { defined } from '../../shared/base/values.ts'
import { nodeName, objectKey, uid } from '../../shared/model/ids.ts'
import {
  effectivePodRequests,
  type Pod,
  type PodAffinityTerm,
  type PodVolume,
  type TopologySpreadConstraint,
} from '../../shared/model/pod.ts'
import { epochMs } from '../../shared/model/units.ts'
import { NOW } from '../builders/clock.ts'
import { pod } from '../builders/pod.ts'
import { hostPorts, labelKeyOf, labels, listOf, NotationError, resources, selector, term, tolerations, words } from './notation.ts'
import type { AffinityGiven, PodGiven, SpreadGiven } from './scenario.ts'

const MINUTES_TEN = 600_000

/** The pods of one group. `rank` is the age rank among all pods: 0 is the oldest. */
export function podsOf(group: string, given: PodGiven, rank: number, nodeNameOf: (name: string) => string): readonly Pod[] {
  if (given.count === undefined) return [podOf(group, group, given, rank, nodeNameOf)]
  return Array.from({ length: given.count }, (_, index) => podOf(`${group}-${index + 1}`, group, given, rank + index, nodeNameOf))
}

function podOf(name: string, group: string, given: PodGiven, rank = 0, nodeNameOf: (name: string) => string = (same) => same): Pod {
  const own = { app: group, ...labels(given.labels) }
  const { needs } = given
  const made = pod({
    name,
    namespace: given.namespace ?? 'default',
    ...(given.on === undefined ? {} : { nodeName: nodeNameOf(given.on) }),
    ...(given.nominated === undefined ? {} : { nominatedNodeName: nodeName(nodeNameOf(given.nominated)), nominatedAt: NOW }),
    labels: own,
    createdAt: epochMs(NOW - MINUTES_TEN + 1000 * rank),
    requests: requestsOf(given),
    nodeSelector: labels(given.select),
    ...(needs === undefined ? {} : { requiredNodeTerms: (typeof needs === 'string' ? [needs] : needs).map(term) }),
    preferredNodeTerms: weighted(given.prefers).map(([text, weight]) => ({ weight, term: term(text) })),
    tolerations: tolerations(given.tolerates),
    topologySpread: spreadOf(given.spread, group),
    podAffinity: affinityOf(given.near, given.preferNear),
    podAntiAffinity: affinityOf(given.apart, given.preferApart),
    hostPorts: hostPorts(given.ports),
    volumes: volumesOf(given, name),
    ...given.over,
  })
  const { unschedulableSince: __, ...untried } = made
  const built = given.untried === true ? untried : made
  if (given.owner === undefined) return built
  const { owner: _, ...ownerless } = built
  return given.owner === null ? ownerless : { ...built, owner: given.owner }
}

function requestsOf({ asks, containers, start, podLevel, overhead }: PodGiven): Pod['requests'] {
  return effectivePodRequests(
    defined({
      containers: (containers ?? [asks ?? {}]).map((amounts) => ({ requests: resources(amounts) })),
      initContainers: (start ?? []).map(({ init, sidecar }) => ({ requests: resources(sidecar ?? init), sidecar: sidecar !== undefined })),
      podResources: podLevel === undefined ? undefined : resources(podLevel),
      overhead: overhead === undefined ? undefined : resources(overhead),
    }),
  )
}

function spreadOf(spread: PodGiven['spread'], group: string): readonly TopologySpreadConstraint[] {
  const list = typeof spread === 'string' ? words(spread).map((over): SpreadGiven => ({ over })) : (spread ?? [])
  return list.map(({ over, skew = 1, of = `app=${group}`, soft, minDomains, taints = 'Ignore', affinity = 'Honor', keys = [] }) =>
    defined({
      maxSkew: skew,
      topologyKey: labelKeyOf(over),
      whenUnsatisfiable: soft === true ? ('ScheduleAnyway' as const) : ('DoNotSchedule' as const),
      selector: of === null ? undefined : selector(of),
      minDomains,
      nodeAffinityPolicy: affinity,
      nodeTaintsPolicy: taints,
      matchLabelKeys: keys,
    }),
  )
}

function affinityOf(hard: PodGiven['near'], soft: PodGiven['preferNear']): Pod['podAffinity'] {
  const list = typeof hard === 'string' ? listOf(hard, ';').map((text): AffinityGiven => ({ term: text })) : (hard ?? [])
  return {
    required: list.map(affinityTerm),
    preferred: weighted(soft).map(([text, weight]) => ({ weight, term: affinityTerm({ term: text }) })),
  }
}

function affinityTerm({ term: text, namespaces = [], namespaceSelector }: AffinityGiven): PodAffinityTerm {
  const [of = '', over = ''] = text.split(' over ')
  if (over.trim() === '') throw new NotationError(`'${text}' names no domain; write 'app=db over zone'`)
  return defined({
    topologyKey: labelKeyOf(over.trim()),
    selector: selector(of),
    namespaces,
    namespaceSelector: namespaceSelector === undefined ? undefined : selector(namespaceSelector),
    matchLabelKeys: [],
    mismatchLabelKeys: [],
  })
}

function volumesOf({ mounts, ephemeral = {} }: PodGiven, name: string): readonly PodVolume[] {
  return [
    ...words(mounts).map((claimName) => ({ kind: 'claim' as const, claimName })),
    ...Object.entries(ephemeral).map(([volume, storageClassName]) =>
      defined({ kind: 'ephemeral' as const, claimName: `${name}-${volume}`, storageClassName: storageClassName ?? undefined }),
    ),
  ]
}

function weighted(given: string | { readonly [term: string]: number } | undefined): readonly (readonly [string, number])[] {
  return typeof given === 'string' ? [[given, 1]] : Object.entries(given ?? {})
}

/** The pod of a template, for pods that do not exist yet. */
export function templatePod(name: string, given: PodGiven): Pod {
  return {
    ...podOf(name, name, { owner: null, ...given }),
    key: objectKey(given.namespace ?? 'default', name),
    uid: uid(`uid-template-${name}`),
  }
}
