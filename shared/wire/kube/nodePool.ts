import type { Result } from '../../base/result.ts'
import { defined, ownValue } from '../../base/values.ts'
import { nodePoolName } from '../../model/ids.ts'
import {
  type Budget,
  CONSOLIDATION_POLICIES,
  DISRUPTION_REASONS,
  type DisruptionPolicy,
  EMPTY_FIELDS,
  type NodeClaimTemplate,
  type NodePool,
} from '../../model/nodePool.ts'
import type { Problem } from '../../model/problem.ts'
import type { Resources } from '../../model/resources.ts'
import { durationMs } from '../../model/units.ts'
import { withStarts } from '../objects/schedule.ts'
import { NO_LABELS } from '../objects/shared.ts'
import { condition, duration, durationOrNever, isOwnAnnotation, labels, metaOf, nodeClassRef, taint } from './meta.ts'
import { DEFAULT_EXPIRE_AFTER } from './nodeClaim.ts'
import {
  integer,
  items,
  type KubeObject,
  type KubeRead,
  listOf,
  mapOf,
  maybe,
  need,
  object,
  quantities,
  readKube,
  requirements,
  resources,
  text,
  unknownValues,
} from './read.ts'

export function nodePoolFromKube(json: unknown): Result<NodePool, Problem> {
  return readKube(nodePool, json, { kind: 'nodePool', code: 'POOL.INVALID' })
}

export const nodePool: KubeRead<NodePool> = (json, trail) => {
  const root = object(json, trail)
  const metadata = need(root, 'metadata', object, trail)
  const name = nodePoolName(need(metadata, 'name', text, trail))
  const rest = need(root, 'spec', spec, trail)
  const status = maybe(root, 'status', poolStatus, trail) ?? NO_STATUS
  return { name, meta: meta(metadata, trail), ...rest, ...unknownValues(root, trail), status }
}

const meta = metaOf(isOwnAnnotation)
const annotations = mapOf(text)
const NO_RESOURCES = NO_LABELS as unknown as Resources
const NO_STATUS: NodePool['status'] = { conditions: [], resources: NO_RESOURCES }

const spec: KubeRead<Omit<NodePool, 'name' | 'meta' | 'status'>> = (json, trail) => {
  const source = object(json, trail)
  return defined({
    template: need(source, 'template', template, trail),
    disruption: maybe(source, 'disruption', disruption, trail) ?? disruption({}, trail),
    ...(maybe(source, 'limits', limits, trail) ?? { limits: NO_RESOURCES }),
    weight: maybe(source, 'weight', integer, trail),
    replicas: maybe(source, 'replicas', integer, trail),
  })
}

/** A limit that is no quantity counts as 0, so that the NodePool buys nothing until it is corrected. The definition lets some of these pass. */
const limits: KubeRead<Pick<NodePool, 'limits' | 'unreadableLimits'>> = (json, trail) => {
  const { amounts, unreadable } = quantities(json, trail)
  return {
    limits: amounts,
    ...(unreadable.length === 0
      ? {}
      : { unreadableLimits: unreadable.map(([name, why]) => `spec.limits[${JSON.stringify(name)}]: ${why}`) }),
  }
}

const template: KubeRead<NodeClaimTemplate> = (json, trail) => {
  const source = object(json, trail)
  const metadata = maybe(source, 'metadata', object, trail) ?? {}
  const inner = need(source, 'spec', templateSpec, trail)
  return {
    labels: maybe(metadata, 'labels', labels, trail) ?? NO_LABELS,
    annotations: maybe(metadata, 'annotations', annotations, trail) ?? NO_LABELS,
    ...inner,
    ...emptyFields({ ...metadata, ...need(source, 'spec', object, trail) }),
  }
}

function emptyFields(members: KubeObject): Pick<NodeClaimTemplate, 'emptyFields'> {
  const found = EMPTY_FIELDS.filter((field) => isEmpty(ownValue(members, field)))
  return found.length === 0 ? {} : { emptyFields: found }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

const templateSpec: KubeRead<Omit<NodeClaimTemplate, 'labels' | 'annotations'>> = (json, trail) => {
  const source = object(json, trail)
  return defined({
    requirements: requirements(source, trail),
    taints: items(source, 'taints', taint, trail),
    startupTaints: items(source, 'startupTaints', taint, trail),
    nodeClassRef: need(source, 'nodeClassRef', nodeClassRef, trail),
    expireAfter: maybe(source, 'expireAfter', durationOrNever, trail) ?? DEFAULT_EXPIRE_AFTER,
    terminationGracePeriod: maybe(source, 'terminationGracePeriod', duration, trail),
  })
}

const NEVER = { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' } as const
const DEFAULT_BUDGETS: readonly Budget[] = [{ nodes: '10%' }]

const budget: KubeRead<Budget> = (json, trail) => {
  const source = object(json, trail)
  return withStarts(
    defined({
      nodes: maybe(source, 'nodes', text, trail) ?? '10%',
      schedule: maybe(source, 'schedule', text, trail),
      duration: maybe(source, 'duration', duration, trail),
      ...reasonsOf(maybe(source, 'reasons', listOf(text), trail)),
    }),
  )
}

function reasonsOf(written: readonly string[] | undefined): Pick<Budget, 'reasons' | 'unknownReasons'> {
  if (written === undefined) return {}
  const reasons = DISRUPTION_REASONS.filter((reason) => written.includes(reason))
  const unknownReasons = written.filter((each) => !reasons.some((reason) => reason === each))
  return unknownReasons.length === 0 ? { reasons } : { unknownReasons }
}

const disruption: KubeRead<DisruptionPolicy> = (json, trail) => {
  const source = object(json, trail)
  const written = maybe(source, 'consolidationPolicy', text, trail) ?? 'WhenEmptyOrUnderutilized'
  const policy = CONSOLIDATION_POLICIES.find((each) => each === written)
  const consolidateAfter = maybe(source, 'consolidateAfter', durationOrNever, trail) ?? durationMs(0)
  return {
    ...(policy === undefined ? { ...NEVER, unknownPolicy: written } : { consolidationPolicy: policy, consolidateAfter }),
    budgets: maybe(source, 'budgets', listOf(budget), trail) ?? DEFAULT_BUDGETS,
  }
}

const poolStatus: KubeRead<NodePool['status']> = (json, trail) => {
  const source = object(json, trail)
  return defined({
    conditions: items(source, 'conditions', condition, trail),
    resources: maybe(source, 'resources', resources, trail) ?? NO_RESOURCES,
    nodes: maybe(source, 'nodes', integer, trail),
    nodeClassObservedGeneration: maybe(source, 'nodeClassObservedGeneration', integer, trail),
  })
}
