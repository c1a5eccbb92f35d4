import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectionFrom } from '../../local/cluster/client/connection.ts'
import { createKubeClient, type KubeClient } from '../../local/cluster/client/kubeClient.ts'
import { CACHE, findBinaries, isBuilt } from '../../local/controlplane/binaries.ts'
import { startControlPlane } from '../../local/controlplane/startControlPlane.ts'
import { startKubernetes } from '../../local/kubernetes/startKubernetes.ts'

type Use<Outcome> = (client: KubeClient, signal: AbortSignal) => Promise<Outcome>

export type ApiServer = {
  /** The reason why the server cannot run here. */
  readonly lacking?: string
  /** Runs `use` against a server of its own. */
  readonly with: <Outcome>(use: Use<Outcome>) => Promise<Outcome>
}

export const LIMIT_MS = 10 * 60_000

const places = { assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE }

export const REAL_SERVER: ApiServer = {
  ...(isBuilt(places) ? {} : { lacking: 'no control plane is built' }),
  async with(use) {
    const root = mkdtempSync(join(tmpdir(), 'joiner-schema-'))
    const binaries = await findBinaries({ ...places, say: (line) => console.log(line) })
    const plane = await startControlPlane({ binaries, folder: join(root, 'plane') })
    const client = createKubeClient(connectionFrom({ kubeconfig: plane.kubeconfigFile }))
    try {
      return await use(client, AbortSignal.timeout(LIMIT_MS))
    } finally {
      client.close()
      await plane.close()
      rmSync(root, { recursive: true, force: true })
    }
  },
}

export const EMBEDDED_SERVER: ApiServer = {
  async with(use) {
    const server = await startKubernetes()
    const client = createKubeClient(connectionFrom({ url: server.url, ca: server.caCertificate, token: server.adminToken }))
    try {
      return await use(client, AbortSignal.timeout(LIMIT_MS))
    } finally {
      client.close()
      await server.close()
    }
  },
}
