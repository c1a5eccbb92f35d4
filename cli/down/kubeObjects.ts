import * as z from 'zod'
import type { KubeTransport } from '../../shared/adapters/kube/kubeTransport.ts'
import { listAll, NO_LIST } from '../../shared/kubeclient/collections.ts'
import { faultOf, isObjectMissing, isSuccess, type KubeAnswer } from '../../shared/kubeclient/status.ts'
import type { Fault } from '../../shared/model/problem.ts'

const texts = z.record(z.string(), z.string()).default({})
const metadata = z.looseObject({
  name: z.string(),
  namespace: z.string().optional(),
  labels: texts,
  annotations: texts,
  finalizers: z.array(z.string()).default([]),
})
const object = z.looseObject({ metadata })

/** Any object, with the fields that a removal needs. */
export type RemovableObject = z.output<typeof object>

const PAGE = 500

/** Returns all objects of a collection. Empty if the server does not know the kind. */
export async function listObjects(
  call: KubeTransport,
  path: string,
  query: { readonly [name: string]: string },
  signal: AbortSignal,
): Promise<readonly RemovableObject[]> {
  const listed = await listAll(call, { path, query, limit: PAGE }, signal)
  if (!listed.ok && listed.error.status === 404) return []
  const objects = listed.ok ? z.array(object).safeParse(listed.value) : undefined
  if (objects?.success !== true) throw refused('list', path, listed.ok ? { status: 200, json: NO_LIST } : listed.error)
  return objects.data
}

/** Deletes an object. An object that is gone already counts as deleted. */
export async function deleteObject(call: KubeTransport, path: string, signal: AbortSignal): Promise<void> {
  const answer = await call({ method: 'DELETE', path, body: { propagationPolicy: 'Background' } }, signal)
  if (!isSuccess(answer) && !isObjectMissing(answer)) throw refused('delete', path, answer)
}

export function refused(operation: string, path: string, answer: KubeAnswer): Fault {
  return faultOf(answer, operation, path)
}
