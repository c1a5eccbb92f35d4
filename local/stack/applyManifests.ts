import { readFileSync } from 'node:fs'
import { Fault, problem } from '../../shared/model/problem.ts'
import type { KubeClient } from '../cluster/client/kubeClient.ts'
import { collectionPath, type Manifest, parseManifests } from '../manifests.ts'

const CREATE_RETRIES = 20
const RETRY_MS = 100

/** Creates every object of a YAML file, and returns the objects. Existing objects stay as they are. A kind whose definition is not served yet is tried again. */
export async function applyManifests(client: KubeClient, file: string, signal: AbortSignal): Promise<readonly Manifest[]> {
  const manifests = parseManifests(readFileSync(file, 'utf8'))
  for (const manifest of manifests) await create(client, manifest, signal)
  return manifests
}

async function create(client: KubeClient, manifest: Manifest, signal: AbortSignal): Promise<void> {
  const path = collectionPath(manifest)
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
