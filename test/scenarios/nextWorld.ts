import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import { claimOfInstanceName, DEFAULT_MACHINE_NAMES, nodeName } from '../../shared/model/ids.ts'
import type { InstanceType } from '../../shared/model/instanceType.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { hence } from '../builders/clock.ts'
import { placedPods } from '../checker/placedPods.ts'
import { type World, withGiven } from './givenWorld.ts'
import { type Launched, launchAll, machineAt, placesOf } from './launched.ts'
import { words } from './notation.ts'
import type { Step } from './scenario.ts'
import { upsert } from './upsert.ts'

/** The world after the decision was carried out up to the stage of the step, with the changes of the step. */
export function nextWorld(world: World, decision: Decision, step: Step): World {
  const { stage = 'initialized', bound = true } = step
  const launched = launchAll(world.snapshot, decision)
  const carried = carryOut(world.snapshot, decision, launched, stage, bound)
  return withGiven({ ...world, snapshot: without(carried, words(step.gone), world.groups) }, step.given ?? {})
}

function carryOut(
  before: ClusterSnapshot,
  decision: Decision,
  launched: readonly Launched[],
  stage: NonNullable<Step['stage']>,
  bound: boolean,
): ClusterSnapshot {
  const { objects } = before
  const machines = launched.map((each) => machineAt(each, stage))
  const node = upsert(
    objects.node,
    machines.flatMap((each) => each.node ?? []),
    (each) => each.name,
  )
  const nodeClaim = upsert(
    objects.nodeClaim,
    machines.flatMap((each) => each.claim ?? []),
    (each) => each.name,
  )
  const places = placesOf(before, decision, launched)
  const names = new Set<string>(node.map((each) => each.name))
  const pod = objects.pod.map((each): Pod => {
    const machine = places.get(each.key)?.machine
    const name = machine === undefined || names.has(machine) ? machine : `joiner-${machine}`
    return bound && each.nodeName === undefined && name !== undefined && names.has(name) ? bind(each, name) : each
  })
  return {
    ...before,
    decision: before.decision + 1,
    objects: { ...objects, node, nodeClaim, pod },
    drafts: stage === 'draft' ? [...before.drafts, ...launched.map(({ create }) => create.draft)] : before.drafts,
    nominations: placedPods(decision).map(({ pod: { uid }, claim }) => ({
      pod: uid,
      claim,
      until: hence(before.settings.registrationTimeout),
    })),
    instanceTypes: new Map([...before.instanceTypes].map(([name, types]) => [name, types.map((type) => afterUse(type, launched))])),
  }
}

function bind(pod: Pod, node: string): Pod {
  const { unschedulableSince: _, ...rest } = pod
  return { ...rest, nodeName: nodeName(node), phase: 'Running' }
}

/** The size with the remaining reservations: each launched machine takes one from its reservation. */
function afterUse(type: InstanceType, launched: readonly Launched[]): InstanceType {
  if (type.offerings.every((each) => each.reservation === undefined)) return type
  const offerings = type.offerings.map((each) => {
    if (each.reservation === undefined) return each
    const { id, remaining } = each.reservation
    const left = remaining - launched.filter(({ reservation }) => reservation === id).length
    return { ...each, reservation: { id, remaining: left }, available: each.available && left > 0 }
  })
  return { ...type, offerings }
}

const claimIn = (name: string) => claimOfInstanceName(name, DEFAULT_MACHINE_NAMES)

/** Removes the named things. The pods of a removed node are removed, too. */
function without(before: ClusterSnapshot, gone: readonly string[], groups: World['groups']): ClusterSnapshot {
  if (gone.length === 0) return before
  const { objects } = before
  const keys = new Set(gone.flatMap((name) => groups.get(name) ?? [`default/${name}`]))
  const everyNode = gone.includes('nodes')
  const goneNodes = new Set<string>(
    objects.node.map((each) => each.name).filter((name) => everyNode || gone.includes(name) || gone.includes(claimIn(name) ?? '')),
  )
  const goneClaims = new Set<string>([...goneNodes].flatMap((name) => claimIn(name) ?? []))
  return {
    ...before,
    objects: {
      ...objects,
      node: objects.node.filter((each) => !goneNodes.has(each.name)),
      nodeClaim: objects.nodeClaim.filter((each) => !goneClaims.has(each.name)),
      pod: objects.pod.filter((each) => !keys.has(each.key) && !goneNodes.has(each.nodeName ?? '')),
    },
  }
}
