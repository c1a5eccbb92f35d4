import { settle, settleBounded } from '../../base/concurrency.ts'
import { warning } from '../../engine/lifecycle/claimStatus.ts'
import { isTrue } from '../../model/condition.ts'
import { parseTags, printTags, userTags } from '../../model/instance.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isOurs, type NodeClass } from '../../model/nodeClass.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { type ClusterDeps, logRefused, problemOf, startingAt } from '../deps/clusterDeps.ts'

/** The most machines of a run. Azure counts writes, and launches need them more than tags do. */
const MOST_A_RUN = 40
const AT_ONCE = 4

/** `left`: machines that still have other tags than they should have, because there was no time, or because Azure refused. */
export type TagsUpdated = { readonly updated: number; readonly left: number }

/**
 * Changes the tags of machines in place after the tags of their class or of the settings have changed. The annotation on the claim says which tags of
 * users the machine has. It is written after Azure has the tags. So a process that dies in between leaves work that the next run finds, and the next run
 * writes only what is missing.
 */
export async function updateTags(deps: ClusterDeps, signal: AbortSignalLike): Promise<TagsUpdated> {
  const objects = (await deps.readClusterState?.(signal))?.objects()
  if (objects === undefined) return { updated: 0, left: 0 }
  const classes = new Map(objects.nodeClass.map((each) => [each.name, each]))
  const outdated = objects.nodeClaim.flatMap((claim) => {
    const nodeClass = classes.get(claim.spec.nodeClassRef.name)
    return nodeClass !== undefined && isOutdated(deps, claim, nodeClass) ? [{ claim, nodeClass }] : []
  })
  const now = startingAt(outdated, deps.clock.now()).slice(0, MOST_A_RUN)
  const outcomes = await settleBounded(now, AT_ONCE, async ({ claim, nodeClass }) =>
    signal.aborted ? false : updateOne(deps, claim, nodeClass, signal),
  )
  let updated = 0
  for (const outcome of outcomes) {
    if (!outcome.ok) throw outcome.error
    if (outcome.value) updated++
  }
  return { updated, left: outdated.length - updated }
}

function isOutdated(deps: ClusterDeps, { meta, spec, status }: NodeClaim, nodeClass: NodeClass): boolean {
  if (meta.deletedAt !== undefined || !isOurs(spec.nodeClassRef) || !isTrue(status.conditions, 'Registered')) return false
  return meta.annotations[ANNOTATION.tags] !== tagsOf(deps, nodeClass)
}

/** Returns whether the machine has its tags, or is gone. A machine that Azure refuses to tag does not stop the others. */
async function updateOne(deps: ClusterDeps, { name }: NodeClaim, nodeClass: NodeClass, signal: AbortSignalLike): Promise<boolean> {
  const { api, cloud, cluster, telemetry } = deps
  const done = await settle(async (): Promise<boolean> => {
    const claim = await api.getClaim(name, signal)
    // The log may be behind the cluster.
    if (claim === undefined || !isOutdated(deps, claim, nodeClass)) return true
    const { annotations } = claim.meta
    const before = parseTags(annotations[ANNOTATION.tags])
    const told = await settle(() => cloud.updateTags({ claim, nodeClass, before }, signal))
    if (!told.ok) return reportRefused(deps, claim, told.error, signal)
    if (told.value === 'gone') return true
    const tags = tagsOf(deps, nodeClass)
    const kept = await api.patchClaim(claim, { annotations: { ...annotations, [ANNOTATION.tags]: tags } }, signal)
    if (kept.ok) telemetry.info(`the tags of the machine of nodeclaim ${name} are those of its class`, { cluster, claim: name })
    return kept.ok
  })
  if (done.ok) return done.value
  logRefused(deps, `the update of the tags of nodeclaim ${name}`, problemOf(done.error))
  return false
}

/** The tags of users that a new machine of the class gets, as the annotation has them. */
function tagsOf({ settings }: ClusterDeps, nodeClass: NodeClass): string {
  return printTags(userTags(nodeClass, settings.additionalTags))
}

async function reportRefused(deps: ClusterDeps, claim: NodeClaim, cause: unknown, signal: AbortSignalLike): Promise<false> {
  const found = problemOf(cause)
  logRefused(deps, `the update of the tags of nodeclaim ${claim.name}`, found)
  if (found.code === 'AZURE.THROTTLED') return false
  const message = `the tags of the machine could not be changed and are tried again: ${found.message}`
  await deps.api.publish({ ...warning(claim, 'TagsNotUpdated', message.slice(0, 500)), key: 'TagsNotUpdated' }, signal)
  return false
}
