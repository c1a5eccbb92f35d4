/** Workloads as users write them: a template and some replicas, with random constraints. */
import type { Random } from '../agreement/random.ts'
import { APPS, ARCH, CAPACITY, CPUS, HOST, NAMESPACES, REVISION, SIZE, TAINTS, TEAM, TEAMS, TIER, ZONE, ZONES } from './words.ts'

type Json = { readonly [field: string]: unknown }
export type PodManifest = {
  readonly metadata: Json & { readonly name: string; readonly namespace: string; readonly labels: { readonly [key: string]: string } }
  readonly spec: Json
  readonly status?: Json
}

/** The probability of each feature of a workload. A test may set its own probabilities. */
export type Mixture = {
  readonly selector: number
  readonly terms: number
  readonly preference: number
  readonly spread: number
  readonly affinity: number
  readonly antiAffinity: number
  readonly softAffinity: number
  readonly ports: number
  readonly volumes: number
  readonly init: number
  /** The least number of workloads. There are up to four more. */
  readonly workloads: number
}

export const USUAL: Mixture = {
  selector: 0.25,
  terms: 0.2,
  preference: 0.15,
  spread: 0.3,
  affinity: 0.2,
  antiAffinity: 0.25,
  softAffinity: 0.12,
  ports: 0.12,
  volumes: 0.2,
  init: 0.1,
  workloads: 1,
}

export function randomWorkload(random: Random, name: string, mixture: Mixture, claimNames: readonly string[]): readonly PodManifest[] {
  const app = random.pick(APPS)
  const namespace = random.chance(0.85) ? 'default' : random.pick(NAMESPACES)
  const labels = { app, ...(random.chance(0.3) ? { [REVISION]: random.pick(['1', '2']) } : {}) }
  const spec = randomSpec(random, app, mixture)
  return Array.from({ length: 1 + random.int(4) }, (_, index) => ({
    metadata: { name: `${name}-${index}`, namespace, labels },
    spec: { ...spec, ...(random.chance(mixture.volumes) ? { volumes: volumes(random, claimNames) } : {}) },
  }))
}

export function randomTolerations(random: Random): readonly Json[] {
  const exact = random
    .some(TAINTS, 0.3)
    .map(({ key, value, effect }) => ({ key, effect, ...(value === undefined ? { operator: 'Exists' } : { value }) }))
  return random.chance(0.2) ? [{ operator: 'Exists' }] : exact
}

export function randomContainers(random: Random, large = true): readonly Json[] {
  return Array.from({ length: random.chance(0.8) ? 1 : 2 }, (_, index) => ({
    name: `c${index}`,
    resources: {
      requests: {
        cpu: random.pick(large ? ['50m', '250m', '500m', '1', '1500m', '3', '7'] : ['50m', '100m', '250m']),
        memory: random.pick(large ? ['64Mi', '512Mi', '1Gi', '3Gi', '14G'] : ['64Mi', '256Mi']),
        ...(large && random.chance(0.05) ? { 'nvidia.com/gpu': '1' } : {}),
      },
    },
  }))
}

function randomSpec(random: Random, app: string, mixture: Mixture): Json {
  const spread = random.chance(mixture.spread)
    ? Array.from({ length: random.chance(0.75) ? 1 : 2 }, () => spreadConstraint(random, app))
    : []
  const nodeAffinity = {
    ...(random.chance(mixture.terms)
      ? { [REQUIRED]: { nodeSelectorTerms: Array.from({ length: 1 + random.int(2) }, () => nodeTerm(random)) } }
      : {}),
    ...(random.chance(mixture.preference)
      ? { [PREFERRED]: Array.from({ length: 1 + random.int(2) }, () => ({ weight: 1 + random.int(100), preference: nodeTerm(random) })) }
      : {}),
  }
  const podAffinity = {
    ...(random.chance(mixture.affinity)
      ? { [REQUIRED]: Array.from({ length: random.chance(0.85) ? 1 : 2 }, () => podTerm(random, app, 0.5)) }
      : {}),
    ...(random.chance(mixture.softAffinity)
      ? { [PREFERRED]: [{ weight: 1 + random.int(100), podAffinityTerm: podTerm(random, app, 0.5) }] }
      : {}),
  }
  const podAntiAffinity = {
    ...(random.chance(mixture.antiAffinity)
      ? { [REQUIRED]: Array.from({ length: random.chance(0.85) ? 1 : 2 }, () => podTerm(random, app, 0.5)) }
      : {}),
    ...(random.chance(mixture.softAffinity)
      ? { [PREFERRED]: [{ weight: 1 + random.int(100), podAffinityTerm: podTerm(random, app, 0.5) }] }
      : {}),
  }
  const containers = randomContainers(random)
  return {
    containers: random.chance(mixture.ports) ? withPort(random, containers) : containers,
    ...(random.chance(mixture.init) ? { initContainers: [initContainer(random)] } : {}),
    tolerations: randomTolerations(random),
    ...(random.chance(mixture.selector) ? { nodeSelector: Object.fromEntries([selected(random)]) } : {}),
    affinity: { nodeAffinity, podAffinity, podAntiAffinity },
    ...(spread.length > 0
      ? { topologySpreadConstraints: distinctBy(spread, ({ topologyKey, whenUnsatisfiable }) => `${topologyKey} ${whenUnsatisfiable}`) }
      : {}),
  }
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

const SELECTABLE: readonly (readonly [string, readonly string[]])[] = [
  [ARCH, ['amd64', 'arm64']],
  [ZONE, ZONES],
  [ZONE, ZONES],
  [CAPACITY, ['spot', 'on-demand']],
  [SIZE, ['Standard_D4as_v6', 'Standard_E8as_v6', 'Standard_X1']],
  [TEAM, [...TEAMS, 'nobody']],
  [TIER, ['web', 'data', 'none']],
  [CPUS, ['2', '8']],
]

function selected(random: Random): readonly [string, string] {
  const [key, values] = random.pick(SELECTABLE)
  return [key, random.pick(values)]
}

function nodeTerm(random: Random): Json {
  const matchExpressions = Array.from({ length: 1 + random.int(2) }, () => {
    const [key, values] = random.pick(SELECTABLE)
    const operator = random.pick(key === CPUS ? ['In', 'Gt', 'Lt'] : ['In', 'In', 'NotIn', 'Exists', 'DoesNotExist'])
    if (operator === 'Exists' || operator === 'DoesNotExist') return { key, operator }
    const chosen = random.some(values, 0.6)
    return { key, operator, values: operator === 'Gt' || operator === 'Lt' || chosen.length === 0 ? values.slice(0, 1) : chosen }
  })
  return { matchExpressions }
}

function podTerm(random: Random, app: string, self: number): Json {
  const labelSelector = random.chance(0.85)
    ? { matchLabels: { app: random.chance(self) ? app : random.pick(APPS) } }
    : { matchExpressions: [{ key: 'app', operator: random.pick(['In', 'NotIn']), values: random.some(APPS, 0.5).concat(app) }] }
  return {
    topologyKey: random.pick([HOST, ZONE, ZONE, CAPACITY]),
    labelSelector,
    ...(random.chance(0.1) ? { namespaces: [random.pick(NAMESPACES)] } : {}),
    ...(random.chance(0.1) ? { namespaceSelector: random.pick([{}, { matchLabels: { kind: NAMESPACES[1] } }]) } : {}),
    ...(random.chance(0.05) ? { matchLabelKeys: [REVISION] } : {}),
    ...(random.chance(0.05) ? { mismatchLabelKeys: [REVISION] } : {}),
  }
}

function spreadConstraint(random: Random, app: string): Json & { readonly topologyKey: string; readonly whenUnsatisfiable: string } {
  const whenUnsatisfiable = random.pick(['DoNotSchedule', 'DoNotSchedule', 'DoNotSchedule', 'ScheduleAnyway'])
  return {
    maxSkew: 1 + random.int(2),
    topologyKey: random.pick([ZONE, ZONE, ZONE, HOST, HOST, CAPACITY]),
    whenUnsatisfiable,
    labelSelector: { matchLabels: { app: random.chance(0.85) ? app : random.pick(APPS) } },
    ...(whenUnsatisfiable === 'DoNotSchedule' && random.chance(0.12) ? { minDomains: 2 + random.int(2) } : {}),
    ...(random.chance(0.12) ? { nodeAffinityPolicy: 'Ignore' } : {}),
    ...(random.chance(0.15) ? { nodeTaintsPolicy: 'Honor' } : {}),
    ...(random.chance(0.15) ? { matchLabelKeys: [REVISION] } : {}),
  }
}

function withPort(random: Random, [first, ...others]: readonly Json[]): readonly Json[] {
  const ip = random.chance(0.3) ? { hostIP: random.pick(['10.0.0.1', '10.0.0.2']) } : {}
  const port = { containerPort: 80, hostPort: random.pick([8080, 9100]), protocol: random.chance(0.85) ? 'TCP' : 'UDP', ...ip }
  return [{ ...first, ports: [port] }, ...others]
}

function initContainer(random: Random): Json {
  const stays = random.chance(0.5) ? { restartPolicy: 'Always' } : {}
  return { name: 'init', resources: { requests: { cpu: random.pick(['100m', '1', '3']), memory: '256Mi' } }, ...stays }
}

function volumes(random: Random, claimNames: readonly string[]): readonly Json[] {
  if (random.chance(0.15))
    return [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: { storageClassName: random.pick(['disk', 'zonal']) } } } }]
  return random.some(claimNames, 0.2).map((claimName, index) => ({ name: `v${index}`, persistentVolumeClaim: { claimName } }))
}

function distinctBy<Item>(list: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return [...new Map(list.map((each) => [keyOf(each), each])).values()]
}
