import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault, problem } from '../../shared/model/problem.ts'
import type { KubeClient } from '../cluster/client/kubeClient.ts'
import { type Manifest, objectPath } from '../manifests.ts'
import { SHIM_AUDIENCE } from './identities.ts'
import { SHIM_ACCOUNT, RELEASE as SHIM_NAMESPACE } from './installRights.ts'
import { projectToken } from './projectToken.ts'
import { NEVER_SCHEDULED, showRunning } from './runningPod.ts'

export type ShimPodOptions = {
  /** A client with the permissions of an administrator. Used until `ending`. */
  readonly client: KubeClient
  readonly directory: string
  readonly onNotice: (text: string) => void
  readonly ending: AbortSignal
}

/** Stands for the shim processes of the stack, because a token is bound to a pod. */
const POD = `${SHIM_ACCOUNT}-local`

const IMAGE = 'joiner-shim'
const REMOVE_MS = 2_000

/** The shortest lifetime that an API server accepts, so that a stack that runs for a while sees renewals. */
const LIFE_SECONDS = 600

const NAMESPACE: Manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SHIM_NAMESPACE } }
const ACCOUNT: Manifest = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: SHIM_ACCOUNT, namespace: SHIM_NAMESPACE } }

/** A pod that is never scheduled, because the shim is a process of the stack already. The stack writes its status, as a kubelet would. */
const SHIM_POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: POD, namespace: SHIM_NAMESPACE },
  spec: {
    serviceAccountName: SHIM_ACCOUNT,
    automountServiceAccountToken: false,
    schedulingGates: NEVER_SCHEDULED,
    containers: [{ name: 'shim', image: IMAGE }],
  },
}

/** Writes into the status of the pod that the shim runs. Otherwise every tool would show the pod as pending, since no kubelet has it. */
export async function showShimRunning(client: KubeClient, signal: AbortSignal): Promise<void> {
  const written = await showRunning(client, SHIM_POD, signal)
  if (!written.ok) throw new Fault('show the pod of the shim', problem('SETTING.INVALID', `Pod ${POD}: ${written.error.message}`))
}

/** Deletes the pod, so that a cluster that outlives the stack does not show a shim that is gone. */
export async function removeShimPod(client: KubeClient): Promise<void> {
  const signal = AbortSignal.timeout(REMOVE_MS)
  const query = { gracePeriodSeconds: '0' }
  // The cluster may be gone already. Its pod is then gone too.
  await client.send({ method: 'DELETE', path: objectPath(SHIM_POD), query, signal }).catch(() => undefined)
}

/** Keeps the shim's token for the app in a file, as kubelet does for the chart. Returns the file. */
export async function projectShimToken({ client, directory, onNotice, ending }: ShimPodOptions): Promise<string> {
  for (const manifest of [NAMESPACE, ACCOUNT, SHIM_POD]) {
    // A field manager of its own, so that the fields that the chart sets on the account stay.
    const query = { fieldManager: 'joiner-shim-pod', force: 'true' }
    const contentType = 'application/apply-patch+yaml'
    const applied = await client.send({ method: 'PATCH', path: objectPath(manifest), query, body: manifest, contentType, signal: ending })
    if (applied.ok) continue
    const message = `${manifest.kind} ${manifest.metadata.name} was refused: ${applied.error.message}`
    throw new Fault('make the pod of the shim', problem('SETTING.INVALID', message))
  }
  const folder = join(directory, 'shim-token')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'token')
  await projectToken({
    client,
    namespace: SHIM_NAMESPACE,
    account: SHIM_ACCOUNT,
    pod: POD,
    audience: SHIM_AUDIENCE,
    expirationSeconds: LIFE_SECONDS,
    file,
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    onNotice,
    signal: ending,
  })
  return file
}
