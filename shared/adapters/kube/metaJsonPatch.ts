import { PatchStrategy } from '@kubernetes/client-node/dist/patch.js'
import { ownValue } from '../../base/ownValue.ts'
import { err, type Result } from '../../base/result.ts'
import type { Labels, Meta } from '../../model/meta.ts'
import { type Problem, problem } from '../../model/problem.ts'
import type { ClaimPatch } from '../../ports/clusterApi.ts'

type Operation = { readonly op: 'test' | 'add' | 'remove'; readonly path: string; readonly value?: unknown }

/**
 * A patch of metadata that holds in every version of the object. It tests what it replaces, and a test of a missing member with `null` passes. Elements
 * of lists are added and removed one by one, so that those of other writers stay.
 */
export function metaJsonPatch(path: string, seen: Meta, { labels, annotations, finalizers }: ClaimPatch) {
  const body: readonly Operation[] = [
    { op: 'test', path: '/metadata/uid', value: seen.uid },
    ...(seen.deletedAt === undefined ? [{ op: 'test', path: '/metadata/deletionTimestamp', value: null } as const] : []),
    ...(labels ? ofLabels('/metadata/labels', seen.labels, labels) : []),
    ...(annotations ? ofLabels('/metadata/annotations', seen.annotations, annotations) : []),
    ...(finalizers ? ofFinalizers(seen.finalizers, finalizers) : []),
  ]
  return { method: 'PATCH', path, body, contentType: PatchStrategy.JsonPatch } as const
}

/** A test that failed is a 422 without a cause, unlike an object that breaks a rule. It means that the object changed. */
export function unversioned<Value>(written: Result<Value, Problem>): Result<Value, Problem> {
  if (written.ok || written.error.code !== 'KUBE.INVALID' || written.error.fields !== undefined) return written
  const { message, object } = written.error
  return err(problem('KUBE.CONFLICT', message, object === undefined ? {} : { object }))
}

function ofLabels(path: string, seen: Labels, wanted: Labels): readonly Operation[] {
  const own = Object.entries(wanted).filter(([key, value]) => ownValue(seen, key) !== value)
  if (own.length === 0) return []
  if (Object.keys(seen).length === 0)
    return [
      { op: 'test', path, value: null },
      { op: 'add', path, value: Object.fromEntries(own) },
    ]
  return own.flatMap(([key, value]): readonly Operation[] => {
    const member = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return [
      { op: 'test', path: member, value: ownValue(seen, key) ?? null },
      { op: 'add', path: member, value },
    ]
  })
}

function ofFinalizers(seen: readonly string[], wanted: readonly string[]): readonly Operation[] {
  const path = '/metadata/finalizers'
  const added = wanted.filter((finalizer) => !seen.includes(finalizer))
  if (seen.length === 0 && added.length > 0)
    return [
      { op: 'test', path, value: null },
      { op: 'add', path, value: added },
    ]
  // From the last to the first, so that the places of the others do not change.
  const removed = seen.flatMap((finalizer, at) => (wanted.includes(finalizer) ? [] : [{ finalizer, path: `${path}/${at}` }])).reverse()
  return [
    ...removed.flatMap(({ finalizer, path: place }): readonly Operation[] => [
      { op: 'test', path: place, value: finalizer },
      { op: 'remove', path: place },
    ]),
    ...added.map((value): Operation => ({ op: 'add', path: `${path}/-`, value })),
  ]
}
