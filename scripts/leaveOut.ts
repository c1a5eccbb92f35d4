// Leaves out parts of packages that the programs never call. They are two fifths of the app's bundle. A stub replaces each part. It throws when it is
// used, and its message says how to include the part again.
import { basename, dirname } from 'node:path'
import type { OnLoadResult, Plugin } from 'esbuild'
import { COMPUTE_GROUPS, NETWORK_GROUPS } from '../shared/adapters/azure/sdk/groups.ts'

type Unused = {
  /** The path of the import, as the package writes it. */
  readonly imported: RegExp
  /** The file with the import, with `/` between folders. */
  readonly by: RegExp
  readonly why: string
  /** The imported names. */
  readonly names: readonly string[]
}

/** The reader of kubeconfigs, the only file of the Kubernetes client that the shim uses. */
const KUBECONFIG = /\/@kubernetes\/client-node\/dist\/config\.js$/

/** Parts of packages that are left out as a whole. */
const UNUSED: readonly Unused[] = [
  {
    imported: /^apache-arrow$/,
    by: /\/@azure\/storage-blob\//,
    why: 'blobs are listed as XML; the Arrow format has to be asked for',
    names: ['tableFromIPC'],
  },
  {
    imported: /^\.\/crc64\.js$/,
    by: /\/@azure\/storage-common\//,
    why: 'no transfer asks for a CRC64; TLS protects what is sent',
    names: ['default'],
  },
  {
    imported: /^undici$/,
    by: KUBECONFIG,
    why: 'only its `fetch` uses it, and requests to API servers are made by shared/kubeclient',
    names: ['Agent', 'ProxyAgent'],
  },
  {
    imported: /^\.\/gen\/index\.js$/,
    by: KUBECONFIG,
    why: 'the generated classes of the API are not used',
    names: ['createConfiguration', 'ServerConfiguration'],
  },
  {
    imported: /^\.\/middleware\.js$/,
    by: KUBECONFIG,
    why: 'the generated classes of the API are not used',
    names: ['setHeaderMiddleware'],
  },
  {
    imported: /^socks(-proxy-agent)?$/,
    by: KUBECONFIG,
    why: 'shared/kubeclient refuses a kubeconfig with a SOCKS proxy',
    names: ['SocksProxyAgent', 'SocksClient'],
  },
]

/** The groups of ARM operations that stay. Each other group is a folder of its package. */
const GROUPS: { readonly [name: string]: readonly string[] } = { 'arm-compute': COMPUTE_GROUPS, 'arm-network': NETWORK_GROUPS }
const GROUP_IMPORT = /^\.\/classic\/\w+\/index\.js$/
const CLIENT = /\/@azure\/(arm-\w+)\/dist\/esm\/\w+Client\.js$/

const NAMESPACE = 'left-out'

export const leaveOut: Plugin = {
  name: 'leave-out',
  setup(build) {
    build.onResolve({ filter: GROUP_IMPORT }, ({ path, importer }) => {
      const [, name = ''] = CLIENT.exec(slashed(importer)) ?? []
      const group = basename(dirname(path))
      if (GROUPS[name]?.includes(group) !== false) return undefined
      return { path: `${name}/${group}`, namespace: NAMESPACE, sideEffects: false, pluginData: groupPart(name, group) }
    })
    for (const { imported, by, why, names } of UNUSED)
      build.onResolve({ filter: imported }, ({ path, importer }) =>
        by.test(slashed(importer)) ? { path, namespace: NAMESPACE, sideEffects: false, pluginData: part(path, why, names) } : undefined,
      )
    build.onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ pluginData }): OnLoadResult => ({ contents: String(pluginData), loader: 'js' }))
  },
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/')
}

/** Returns the stub of a group. The client creates every group at its start, so only the use of a group may throw. */
function groupPart(name: string, group: string): string {
  const made = `_get${group.charAt(0).toUpperCase()}${group.slice(1)}Operations`
  const message = `${group} of @azure/${name} is not in this bundle: name it in shared/adapters/azure/sdk/groups.ts`
  return `export const ${made} = () => new Proxy({}, { get() { throw new Error(${JSON.stringify(message)}) } })`
}

function part(path: string, why: string, names: readonly string[]): string {
  const message = `${path} is not in this bundle, since ${why}; whoever needs it takes it off the list in scripts/leaveOut.ts`
  // Not an arrow function: some of the names are classes.
  const thrower = `function leftOut() { throw new Error(${JSON.stringify(message)}) }`
  return [thrower, ...names.map((name) => (name === 'default' ? 'export default leftOut' : `export const ${name} = leftOut`))].join('\n')
}
