import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { RequestOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js'
import { build, type Metafile } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMPUTE_GROUPS, NETWORK_GROUPS } from '../shared/adapters/azure/sdk/groups.ts'
import { repositoryRoot } from './floors.ts'
import { leaveOut } from './leaveOut.ts'

/** Imports the packages as the app does, to reach the parts that are left out. */
const PROGRAM = `
export { ComputeManagementClient } from '@azure/arm-compute'
export { NetworkManagementClient } from '@azure/arm-network'
export { ContainerClient, AnonymousCredential } from '@azure/storage-blob'
export { StorageCRC64Calculator } from '@azure/storage-common'
export { KubeConfig } from '@kubernetes/client-node/dist/config.js'
`

type Group = { readonly [operation: string]: unknown }
type Client = { readonly [group: string]: Group }
type Program = {
  readonly ComputeManagementClient: new (credential: object, subscription: string) => Client
  readonly NetworkManagementClient: new (credential: object, subscription: string) => Client
  readonly ContainerClient: new (
    url: string,
    credential: object,
    options: object,
  ) => { readonly listBlobsFlat: (options: object) => AsyncIterable<unknown> }
  readonly AnonymousCredential: new () => object
  readonly KubeConfig: typeof KubeConfig
  readonly StorageCRC64Calculator: { readonly init: () => Promise<void> }
}

const folder = mkdtempSync(join(tmpdir(), 'left-out-'))
let metafile: Metafile
let program: Program

beforeAll(async () => {
  const built = await build({
    stdin: { contents: PROGRAM, resolveDir: repositoryRoot, sourcefile: 'program.js' },
    outfile: join(folder, 'program.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: { js: "import { createRequire as of } from 'node:module'; const require = of(import.meta.url);" },
    plugins: [leaveOut],
    metafile: true,
    logLevel: 'error',
  })
  metafile = built.metafile
  program = (await import(pathToFileURL(join(folder, 'program.mjs')).href)) as Program
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const clientOf = (name: 'ComputeManagementClient' | 'NetworkManagementClient'): Client => new program[name]({}, 'subscription')

describe('a bundle', () => {
  it('has the groups of operations that the app names', () => {
    const [compute, network] = [clientOf('ComputeManagementClient'), clientOf('NetworkManagementClient')]
    for (const group of COMPUTE_GROUPS) expect(Object.keys(compute[group] ?? {}), group).not.toEqual([])
    for (const group of NETWORK_GROUPS) expect(Object.keys(network[group] ?? {}), group).not.toEqual([])
  })

  it('says of another where to name it', () => {
    expect(() => clientOf('NetworkManagementClient')['azureFirewalls']?.['listAll']).toThrow(
      'azureFirewalls of @azure/arm-network is not in this bundle: name it in shared/adapters/azure/sdk/groups.ts',
    )
    expect(() => clientOf('ComputeManagementClient')['virtualMachineScaleSets']?.['list']).toThrow('is not in this bundle')
  })

  it('lists blobs as XML, and says of Arrow that it is not there', async () => {
    const bodies = { 'application/xml': '<EnumerationResults><Blobs/></EnumerationResults>', 'application/vnd.apache.arrow.stream': 'x' }
    const server = createServer(({ headers }, response) => {
      const type = headers.accept?.includes('arrow') === true ? 'application/vnd.apache.arrow.stream' : 'application/xml'
      response.writeHead(200, { 'content-type': type }).end(bodies[type])
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const container = new program.ContainerClient(`http://127.0.0.1:${port}/account/one`, new program.AnonymousCredential(), {
      allowInsecureConnection: true,
      retryOptions: { maxTries: 1 },
    })
    const list = async (options: object): Promise<readonly unknown[]> => {
      const names: unknown[] = []
      for await (const each of container.listBlobsFlat(options)) names.push(each)
      return names
    }
    try {
      expect(await list({})).toEqual([])
      await expect(list({ responseFormat: 'Arrow' })).rejects.toThrow('apache-arrow is not in this bundle')
    } finally {
      server.close()
    }
  })

  it('says of a checksum that it is not there', async () => {
    await expect(async () => program.StorageCRC64Calculator.init()).rejects.toThrow('./crc64.js is not in this bundle')
  })

  it('reads a kubeconfig with a plug-in that prints a token, and says of the generated classes that they are not there', async () => {
    const config = new program.KubeConfig()
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token: 'of-the-plug-in' } }
    const exec = { apiVersion: credential.apiVersion, command: 'echo', args: [JSON.stringify(credential)], interactiveMode: 'Never' }
    config.loadFromString(
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1' } }],
        users: [{ name: 'u', user: { exec } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    )
    const options: RequestOptions = {}
    await config.applyToHTTPSOptions(options)
    expect(options.headers).toMatchObject({ Authorization: 'Bearer of-the-plug-in' })
    expect(() => config.makeApiClient(class {})).toThrow('./gen/index.js is not in this bundle')
  })

  it('contains nothing of what is left out', () => {
    const files = Object.values(metafile.outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
    )
    const of = (name: RegExp): readonly string[] => files.map(([file]) => file).filter((file) => name.test(file))
    expect(
      of(/node_modules\/apache-arrow\/|storage-common.*crc64\.js$|node_modules\/(undici|socks(-proxy-agent)?)\/|client-node\/dist\/gen\//),
    ).toEqual([])
    const groups = of(/arm-\w+\/dist\/esm\/classic\//).map((file) => basename(dirname(file)))
    expect(groups.sort()).toEqual([...COMPUTE_GROUPS, ...NETWORK_GROUPS].sort())
  })
})
