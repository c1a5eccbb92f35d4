import {
  BlobServiceClient,
  type ContainerClient,
  newPipeline,
  type RequestPolicyFactory,
  StorageSharedKeyCredential,
  type WebResource,
} from '@azure/storage-blob'
import type { Counts } from './counts.ts'

/** Creates a client of a container that counts each request as it goes out, retries included. */
export function createCountedContainer(connectionString: string, name: string, counts: Counts): ContainerClient {
  const part = (key: string): string => new RegExp(`${key}=([^;]+)`).exec(connectionString)?.[1] ?? ''
  const pipeline = newPipeline(new StorageSharedKeyCredential(part('AccountName'), part('AccountKey')))
  const counting: RequestPolicyFactory = {
    create: (next) => ({
      sendRequest(request) {
        counts.add(kindOf(request))
        return next.sendRequest(request)
      },
    }),
  }
  pipeline.factories.unshift(counting)
  return new BlobServiceClient(part('BlobEndpoint'), pipeline).getContainerClient(name)
}

/** Names a request by its verb and the kind of its blob, such as `read ledger`. Cluster and number of the blob are left out. */
function kindOf({ method, url }: WebResource): string {
  const { pathname, searchParams } = new URL(url)
  const [, , , ...path] = pathname.split('/')
  const last = path.filter((each) => !/^\d/.test(each)).at(-1) ?? 'container'
  const what = method === 'GET' || method === 'HEAD' ? 'read' : method === 'DELETE' ? 'remove' : 'write'
  return searchParams.get('comp') === 'list' ? 'list' : `${what} ${last}`
}
