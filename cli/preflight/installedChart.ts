import { gunzipSync } from 'node:zlib'
import * as z from 'zod'
import type { ChartFacts } from '../../shared/model/installFacts.ts'
import type { ClusterAccess } from '../clusterAccess.ts'

const LIMIT_MS = 30_000
const secrets = z.object({
  items: z.array(
    z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()).default({}) }), data: z.object({ release: z.string() }) }),
  ),
})
const release = z.object({
  chart: z.object({ metadata: z.object({ version: z.string() }) }),
  /** The values that were given. */
  config: z.object({ endpoint: z.string().optional() }).nullish(),
})

type Installed = Pick<ChartFacts, 'release' | 'installed'> & { readonly endpoint: string | undefined }

/** Returns the version of Joiner's chart in a cluster, and the app that it posts to. Undefined if the chart is not installed, `untold` if the caller may not read it. */
export async function installedChart({ call }: Pick<ClusterAccess, 'call'>, namespace: string): Promise<Installed | 'untold' | undefined> {
  const query = { labelSelector: 'owner=helm,name=joiner,status=deployed' }
  const { json } = await call({ method: 'GET', path: `/api/v1/namespaces/${namespace}/secrets`, query }, AbortSignal.timeout(LIMIT_MS))
  const found = secrets.safeParse(json)
  if (!found.success) return 'untold'
  const [last] = found.data.items.toSorted(
    (one, other) => Number(other.metadata.labels['version']) - Number(one.metadata.labels['version']),
  )
  const read = last && release.safeParse(unpacked(last.data.release))
  return read?.success
    ? { release: 'joiner', installed: read.data.chart.metadata.version, endpoint: read.data.config?.endpoint }
    : undefined
}

/** Helm stores a release as base64 of gzipped JSON. In a Secret it is base64-encoded again. */
function unpacked(text: string): unknown {
  try {
    return JSON.parse(gunzipSync(Buffer.from(Buffer.from(text, 'base64').toString('utf8'), 'base64')).toString('utf8'))
  } catch {
    return undefined
  }
}
