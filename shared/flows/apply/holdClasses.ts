import { ok, type Result } from '../../base/result.ts'
import type { Action } from '../../model/decision.ts'
import { CLASS_FINALIZER } from '../../model/labels.ts'
import { refersTo } from '../../model/nodeClass.ts'
import type { Problem } from '../../model/problem.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { doEach, logRefused } from '../deps/doEach.ts'

export type ClassHold = Extract<Action, { readonly kind: 'holdNodeClass' | 'releaseNodeClass' }>

export function isClassHold(action: Action): action is ClassHold {
  return action.kind === 'holdNodeClass' || action.kind === 'releaseNodeClass'
}

/**
 * Gives NodeClasses their finalizer, or takes it away. A class that was changed meanwhile is judged again by the next decision. A write that the API
 * server refuses is logged and stops nothing else. Returns false if something was refused and must be tried again.
 */
export function holdClasses(deps: ClusterDeps, holds: readonly ClassHold[], signal: AbortSignalLike): Promise<boolean> {
  const nameOf = ({ nodeClass }: ClassHold): string => `the finalizer of aksnodeclass ${nodeClass}`
  return doEach(deps, holds, nameOf, async (hold) => {
    const written = await write(deps, hold, signal)
    if (!written.ok && (written.error.code === 'KUBE.INVALID' || written.error.code === 'KUBE.FORBIDDEN'))
      logRefused(deps, nameOf(hold), written.error)
  })
}

/** Class and claims are read live: a claim of another class, or the end of the class, may not be in the log yet. */
async function write({ api }: ClusterDeps, { kind, nodeClass: name }: ClassHold, signal: AbortSignalLike): Promise<Result<void, Problem>> {
  const nodeClass = await api.getNodeClass(name, signal)
  if (nodeClass === undefined) return ok(undefined)
  const { finalizers, deletedAt } = nodeClass.meta
  const isHeld = finalizers.includes(CLASS_FINALIZER)
  if (kind === 'holdNodeClass') {
    if (isHeld || deletedAt !== undefined) return ok(undefined)
    return api.patchNodeClassFinalizers(nodeClass, [...finalizers, CLASS_FINALIZER], signal)
  }
  if (!isHeld || deletedAt === undefined) return ok(undefined)
  if ((await api.listClaims(signal)).some(({ spec }) => refersTo(spec, name))) return ok(undefined)
  const others = finalizers.filter((finalizer) => finalizer !== CLASS_FINALIZER)
  return api.patchNodeClassFinalizers(nodeClass, others, signal)
}
