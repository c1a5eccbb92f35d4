import type { Result } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import { nodeClaimName, nodeName, providerId } from '../../model/ids.ts'
import type { NodeClaim, NodeClaimSpec, NodeClaimStatus } from '../../model/nodeClaim.ts'
import type { Problem } from '../../model/problem.ts'
import type { Resources } from '../../model/resources.ts'
import { durationMs } from '../../model/units.ts'
import { NO_LABELS } from '../objects/shared.ts'
import { condition, duration, durationOrNever, isOwnAnnotation, metaOf, nodeClassRef, taint } from './meta.ts'
import { instant, items, type KubeRead, maybe, need, object, readKube, requirements, resources, text, unknownValues } from './read.ts'

export function nodeClaimFromKube(json: unknown): Result<NodeClaim, Problem> {
  return readKube(nodeClaim, json, { kind: 'nodeClaim', code: 'INPUT.INVALID' })
}

/** The API server's default for a claim and for a pool's template. */
export const DEFAULT_EXPIRE_AFTER = durationMs(720 * 3_600_000)

export const nodeClaim: KubeRead<NodeClaim> = (json, trail) => {
  const root = object(json, trail)
  const metadata = need(root, 'metadata', object, trail)
  return {
    name: nodeClaimName(need(metadata, 'name', text, trail)),
    meta: meta(metadata, trail),
    spec: need(root, 'spec', spec, trail),
    ...unknownValues(root, trail),
    status: maybe(root, 'status', status, trail) ?? NO_STATUS,
  }
}

const meta = metaOf(isOwnAnnotation)
const NO_RESOURCES = NO_LABELS as unknown as Resources
const NO_STATUS: NodeClaimStatus = { conditions: [], capacity: NO_RESOURCES, allocatable: NO_RESOURCES }

const spec: KubeRead<NodeClaimSpec> = (json, trail) => {
  const source = object(json, trail)
  const wanted = maybe(source, 'resources', object, trail) ?? {}
  return defined({
    nodeClassRef: need(source, 'nodeClassRef', nodeClassRef, trail),
    requirements: requirements(source, trail),
    requests: maybe(wanted, 'requests', resources, trail) ?? NO_RESOURCES,
    taints: items(source, 'taints', taint, trail),
    startupTaints: items(source, 'startupTaints', taint, trail),
    expireAfter: maybe(source, 'expireAfter', durationOrNever, trail) ?? DEFAULT_EXPIRE_AFTER,
    terminationGracePeriod: maybe(source, 'terminationGracePeriod', duration, trail),
  })
}

const status: KubeRead<NodeClaimStatus> = (json, trail) => {
  const source = object(json, trail)
  const given = (name: string): string | undefined => maybe(source, name, text, trail) || undefined
  const [node, provider] = [given('nodeName'), given('providerID')]
  return defined({
    conditions: items(source, 'conditions', condition, trail),
    nodeName: node === undefined ? undefined : nodeName(node),
    providerId: provider === undefined ? undefined : providerId(provider),
    imageId: given('imageID'),
    capacity: maybe(source, 'capacity', resources, trail) ?? NO_RESOURCES,
    allocatable: maybe(source, 'allocatable', resources, trail) ?? NO_RESOURCES,
    lastPodEventAt: maybe(source, 'lastPodEventTime', instant, trail),
  })
}
