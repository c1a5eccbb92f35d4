import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import { Fault, problem } from '../../shared/model/problem.ts'
import type { KubeClient } from '../cluster/client/kubeClient.ts'

type Manifest = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

const PLURALS: { readonly [kind: string]: string } = {
  CustomResourceDefinition: 'customresourcedefinitions',
  NodePool: 'nodepools',
  AKSNodeClass: 'aksnodeclasses',
  Deployment: 'deployments',
  Namespace: 'namespaces',
}
const CREATE_RETRIES = 20
const RETRY_MS = 100

/** Creates every object of a YAML file. What exists already stays as it is; a kind whose definition is not served yet is tried again. */
export async function applyManifests(client: KubeClient, file: string, signal: AbortSignal): Promise<void> {
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
    const manifest: unknown = document.toJS()
    if (isManifest(manifest)) await create(client, manifest, signal)
  }
}

async function create(client: KubeClient, manifest: Manifest, signal: AbortSignal): Promise<void> {
  const path = pathOf(manifest)
  for (let attempt = 1; ; attempt++) {
    const created = await client.send({ method: 'POST', path, body: manifest, signal })
    if (created.ok || created.error.code === 409) return
    const notServedYet = created.error.code === 404 && attempt < CREATE_RETRIES
    if (!notServedYet) {
      throw new Fault(`create ${manifest.kind} ${manifest.metadata.name}`, problem('KUBE.INVALID', created.error.message))
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

function pathOf({ apiVersion, kind, metadata }: Manifest): string {
  const plural = PLURALS[kind] ?? `${kind.toLowerCase()}s`
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const namespace = metadata.namespace
  return namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`
}

function isManifest(value: unknown): value is Manifest {
  return typeof value === 'object' && value !== null && 'kind' in value && 'apiVersion' in value && 'metadata' in value
}
