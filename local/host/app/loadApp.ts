import { existsSync, globSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { HostError } from '../base/hostError.ts'
import { type AppRegistry, installFunctionsCore, programmingModel } from './functionsCore.ts'

/** The capabilities that the platform's worker offers to the library. The library adds its own. */
const DEFAULT_CAPABILITIES = {
  RawHttpBodyBytes: 'true',
  RpcHttpTriggerMetadataRemoved: 'true',
  RpcHttpBodyOnly: 'true',
  IgnoreEmptyValuedRpcHttpHeaders: 'true',
  UseNullableValueDictionaryForHttp: 'true',
  WorkerStatus: 'true',
  TypedDataCollection: 'true',
  HandlesWorkerTerminateMessage: 'true',
}

const require = createRequire(import.meta.url)
/** The number of loads in this process. A module runs once, so a later load of the same file needs a new copy. */
let loads = 0

/**
 * Loads the app's entry files into the registry, runs its start hooks and locks the registry, in the order of the platform's worker. `app` is a
 * file, or a folder whose package.json names the files in `main`, which is a glob.
 */
export async function loadApp(app: string, registry: AppRegistry, appHookData: object): Promise<{ [name: string]: string }> {
  const files = await entryFiles(resolve(app))
  installFunctionsCore(registry)
  loads++
  for (const file of files) await loadFile(file)
  const functionAppDirectory = await packageFolder(resolve(app))
  for (const hook of registry.hooks.appStart) await hook({ hookData: {}, appHookData, functionAppDirectory })
  if (registry.functions.size === 0)
    throw new HostError(`${app} registered no function: check that it calls app.http, app.timer and so on while it loads`)
  const model = programmingModel()
  const capabilities = model === undefined ? {} : await model.getCapabilities({ ...DEFAULT_CAPABILITIES })
  registry.locked = true
  return capabilities
}

async function entryFiles(app: string): Promise<readonly string[]> {
  if (!existsSync(app)) throw new HostError(`the app ${app} does not exist: build it first, or name another file`)
  if (statSync(app).isFile()) return [app]
  const main = (await readPackage(join(app, 'package.json')))?.main
  if (main === undefined) throw new HostError(`${app}/package.json has no "main": it must name the files that register functions`)
  const files = globSync(main, { cwd: app }).sort()
  if (files.length === 0) throw new HostError(`"main" of ${app}/package.json is ${main}, which matches no file: build the app first`)
  return files.map((file) => join(app, file))
}

async function loadFile(file: string): Promise<void> {
  if (await isModule(file)) {
    await import(/* @vite-ignore */ `${pathToFileURL(file).href}${loads > 1 ? `?load=${loads}` : ''}`)
    return
  }
  delete require.cache[require.resolve(file)]
  require(file)
}

async function isModule(file: string): Promise<boolean> {
  const extension = extname(file)
  if (extension === '.mjs' || extension === '.mts') return true
  if (extension === '.cjs' || extension === '.cts') return false
  return (await readPackage(join(await packageFolder(file), 'package.json')))?.type === 'module'
}

async function packageFolder(path: string): Promise<string> {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) if (existsSync(join(folder, 'package.json'))) return folder
  return dirname(path)
}

async function readPackage(file: string): Promise<{ readonly main?: string; readonly type?: string } | undefined> {
  if (!existsSync(file)) return undefined
  const content: unknown = JSON.parse(await readFile(file, 'utf8'))
  if (typeof content !== 'object' || content === null) return undefined
  const main = 'main' in content && typeof content.main === 'string' ? { main: content.main } : {}
  const type = 'type' in content && typeof content.type === 'string' ? { type: content.type } : {}
  return { ...main, ...type }
}
