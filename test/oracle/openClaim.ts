/** A claim that is being filled. It may still become every size that serves all its pods. */
import { LABEL } from '../../shared/model/labels.ts'
import type { HostPort } from '../../shared/model/pod.ts'
import { type Requirement, type Requirements } from '../../shared/model/requirements.ts'
import { add, NO_RESOURCES, type Resources } from '../../shared/model/resources.ts'
import { formatTaint, untolerated } from '../../shared/model/taint.ts'
import { portsClash } from './hostPorts.ts'
import { servingTypes, shortOfValues, type TypeView } from './instanceTypes.ts'
import type { Pass } from './pass.ts'
import { labelRequirements, type PodNeeds } from './podNeeds.ts'
import type { Template } from './templates.ts'
import { type Attached, unionOf } from './volumes.ts'

export type OpenClaim = {
  readonly template: Template
  readonly host: string
  requirements: Requirements
  types: readonly TypeView[]
  requests: Resources
  ports: readonly HostPort[]
  attached: Attached
  readonly pods: PodNeeds[]
}

/** The state of the claim with the pod added. */
export type Addition = { readonly requirements: Requirements; readonly types: readonly TypeView[]; readonly reserved: ReadonlySet<string> }

export function openClaim(template: Template, host: string, types: readonly TypeView[], { algebra }: Pass): OpenClaim {
  return {
    template,
    host,
    requirements: algebra.merge(template.requirements, labelRequirements({ [LABEL.hostname]: host })),
    types,
    requests: NO_RESOURCES,
    ports: [],
    attached: new Map(),
    pods: [],
  }
}

/** Returns the claim with the pod, or the reason why it does not fit. `relaxesMinValues` lowers minValues if too few sizes remain. */
export function tryClaim(claim: OpenClaim, needs: PodNeeds, relaxesMinValues: boolean, pass: Pass): Addition | string {
  const { pod, volumes } = needs
  const [taint] = untolerated(claim.template.pool.template.taints, pod.tolerations)
  if (taint !== undefined) return `did not tolerate taint ${formatTaint(taint)}`
  const narrowed = narrow(claim, claim.requirements, needs.full, pass)
  if (narrowed === undefined) return 'incompatible requirements'
  let failure = ''
  for (const alternative of volumes.alternatives.length > 0 ? volumes.alternatives : [new Map()]) {
    const result = tryAlternative(claim, needs, narrowed, alternative, relaxesMinValues, pass)
    if (typeof result !== 'string') return result
    failure = result
  }
  return failure
}

export function putOnClaim(claim: OpenClaim, needs: PodNeeds, addition: Addition, pass: Pass): void {
  const { pod, volumes } = needs
  claim.pods.push(needs)
  claim.requirements = addition.requirements
  claim.types = addition.types
  claim.requests = add(claim.requests, pod.requests)
  claim.ports = [...claim.ports, ...pod.hostPorts]
  claim.attached = unionOf(claim.attached, volumes.attached)
  pass.reservations.hold(claim.host, addition.reserved)
  pass.topology.registerHost(claim.host)
  pass.topology.record(pod, { of: claim, taints: claim.template.pool.template.taints, requirements: () => claim.requirements })
}

function tryAlternative(
  claim: OpenClaim,
  needs: PodNeeds,
  narrowed: Requirements,
  alternative: Requirements,
  relaxesMinValues: boolean,
  pass: Pass,
): Addition | string {
  const { algebra, topology, wellKnown } = pass
  const housed = narrow(claim, narrowed, alternative, pass)
  if (housed === undefined) return 'incompatible volume requirements'
  const spread = topology.narrow(needs, { of: claim, taints: claim.template.pool.template.taints }, housed)
  if (typeof spread === 'string') return spread
  if (!algebra.compatible(housed, spread, wellKnown)) return 'incompatible topology requirements'
  const requirements = algebra.merge(housed, spread)
  const types = typesFor(claim, needs, requirements, pass)
  if (types.length === 0) return 'no instance type serves'
  const short = shortOfValues(types, requirements, pass)
  if (short.size > 0 && !relaxesMinValues) return `minValues requirement is not met for ${[...short.keys()].join(', ')}`
  const lowered = [...short].map(([key, minValues]) => [key, { ...required(requirements, key), minValues }] as const)
  const final = new Map([...requirements, ...lowered])
  const reserved = pass.reservations.offered(claim.host, types, final)
  return typeof reserved === 'string' ? reserved : { requirements: final, types, reserved }
}

/** The sizes that serve. A size is excluded if the pod's host ports clash with those of its DaemonSets. */
function typesFor(claim: OpenClaim, { pod, volumes }: PodNeeds, requirements: Requirements, pass: Pass): readonly TypeView[] {
  if (portsClash(pod.hostPorts, claim.ports)) return []
  const open = claim.types.filter((view) => !portsClash(pod.hostPorts, claim.template.daemonsOf(view).ports))
  const demand = {
    requirements,
    requests: add(claim.requests, pod.requests),
    overheadOf: (view: TypeView) => claim.template.daemonsOf(view).overhead,
    attached: pass.quirks === 'fixed' ? unionOf(claim.attached, volumes.attached) : undefined,
  }
  return servingTypes(open, demand, pass.algebra, pass.wellKnown)
}

/** Karpenter counts a label that an earlier pod excluded as a label that the machine has. */
function narrow(claim: OpenClaim, now: Requirements, wanted: Requirements, { algebra, quirks, wellKnown }: Pass): Requirements | undefined {
  if (quirks === 'upstream') return algebra.compatible(now, wanted, wellKnown) ? algebra.merge(now, wanted) : undefined
  const isKnown = (key: string): boolean => key === LABEL.hostname || wellKnown.has(key) || claim.template.requirements.has(key)
  const known = new Map([...wanted].filter(([key]) => isKnown(key)))
  const others = new Map([...wanted].filter(([key]) => !isKnown(key)))
  if (!algebra.compatible(now, known, wellKnown) || !algebra.compatible(new Map(), others, wellKnown)) return undefined
  return algebra.merge(now, known)
}

function required(requirements: Requirements, key: string): Requirement {
  const found = requirements.get(key)
  if (found === undefined) throw new Error(`the claim has no requirement on ${key}`)
  return found
}

/** The requirements of the final claim. A claim that holds reservations may use nothing else. */
export function finalRequirements({ requirements, host }: OpenClaim, simulated: readonly string[], { reservations }: Pass): Requirements {
  const hidden = new Set([LABEL.hostname, ...simulated])
  const kept = new Map([...requirements].filter(([key]) => !hidden.has(key)))
  const reserved = reservations.heldBy(host)
  if (reserved.size === 0) return kept
  const only = (key: string, values: readonly string[]): readonly [string, Requirement] => [key, { key, complement: false, values }]
  return new Map([...kept, only(LABEL.capacityType, ['reserved']), only(LABEL.reservation, [...reserved].sort())])
}
