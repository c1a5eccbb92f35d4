// azd itself deploys the layers of the templates, without the hooks that need a cluster. `npm run rehearse` runs all of azd.
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import * as z from 'zod'
import { NOTHING_INSTALLED } from '../../../infra/hooks/hookValues.ts'
import { findBuiltAzd } from '../../../local/azd/findAzd.ts'
import { type LocalAzure, startAzure } from '../../../local/azure/startAzure.ts'
import { CACHE } from '../../../local/goPrograms.ts'
import { createInternetAuthority, type Internet, type NameService, startInternet } from '../../../local/internet/startInternet.ts'
import { repositoryRoot } from '../../floors.ts'
import { AZD, createArmCaller } from '../armCaller.ts'
import { grantDeployerRights } from '../deployerRights.ts'
import { requireWell } from '../runHook.ts'
import { createTemplates } from '../templates.ts'
import { networkOf } from '../world/installation.ts'
import { createNameService } from '../world/names.ts'
import { azdNames } from './azdNames.ts'
import { type Azd, startAzd } from './startAzd.ts'

const PROGRAM = findBuiltAzd(CACHE)
const WITHOUT = PROGRAM === undefined ? ' (skipped: no azd; npm run azd)' : ''
const NAME = 'first'
const SECOND = 'second'
const CLOSED = 'closed'
const folder = mkdtempSync(join(tmpdir(), 'joiner-azd-'))

let azure: LocalAzure
let internet: Internet
let azd: Azd
let facts = '[]'
/** The network in which azd runs. Undefined: on the internet. */
let network: string | undefined

const project = z.looseObject({
  hooks: z.object({ postdown: z.unknown(), predeploy: z.unknown() }),
  infra: z.looseObject({ layers: z.array(z.looseObject({})) }),
})
const yaml = project.parse(parse(readFileSync(join(repositoryRoot, 'azure.yaml'), 'utf8')))

/** What npm would write anew: the lock file does not know the program of the package. */
const PACKAGE = { name: 'joiner', version: '0.1.0', private: true, type: 'module', bin: { joiner: 'cli/joiner.mjs' } }
const LOCK = {
  name: 'joiner',
  version: '0.1.0',
  lockfileVersion: 3,
  requires: true,
  packages: { '': { name: 'joiner', version: '0.1.0' } },
}

/**
 * The project with the one hook that needs no cluster. azd runs `npm install` before the hook, which finds nothing to install: the packages are in
 * the folder above.
 */
function projectIn(directory: string): string {
  mkdirSync(directory)
  writeProject(directory, yaml.infra.layers)
  for (const [name, content] of [
    ['package.json', PACKAGE],
    ['package-lock.json', LOCK],
  ] as const)
    writeFileSync(join(directory, name), JSON.stringify(content))
  copyFileSync(join(repositoryRoot, '.npmrc'), join(directory, '.npmrc'))
  // azd runs a hook in the folder of its file, and the azd that the hook calls looks for azure.yaml from there.
  cpSync(join(repositoryRoot, 'infra'), join(directory, 'infra'), { recursive: true })
  for (const name of ['cli', 'shared']) symlinkSync(join(repositoryRoot, name), join(directory, name))
  symlinkSync(join(repositoryRoot, 'node_modules'), join(dirname(directory), 'node_modules'))
  return directory
}

/** Writes azure.yaml. Other hooks of the project need a cluster. */
function writeProject(directory: string, layers: readonly object[]): void {
  const { postdown, predeploy } = yaml.hooks
  writeFileSync(join(directory, 'azure.yaml'), stringify({ ...yaml, infra: { ...yaml.infra, layers }, hooks: { postdown, predeploy } }))
}

/** Names as the place of azd resolves them. Nothing runs behind an app here but its Kudu. */
function names(): NameService {
  const fixed = azdNames(azure)
  const nobody = { url: 'http://127.0.0.1:1' }
  const kudu = { url: azure.kuduUrl, ca: azure.caCertificate }
  const servers = { fixed: {}, kudu, blob: nobody, queue: nobody, topics: nobody, ingestion: nobody, app: () => undefined }
  return (host) => fixed(host) ?? createNameService(azure.resources, servers, { name: 'deployer', networkId: network })(host)
}

/** What a hook needs that asks ARM and Kudu: the internet of azd, and a login. */
function ofHooks(): Readonly<Record<string, string>> {
  return {
    NODE_OPTIONS: internet.argsOf().join(' '),
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    AZURE_CLIENT_ID: AZD.appid,
    IDENTITY_ENDPOINT: azure.identityEndpoint,
    IDENTITY_HEADER: azure.identityHeader,
  }
}

/** Returns what azd said. Throws with it if azd failed. */
async function well(...args: readonly string[]): Promise<string> {
  return requireWell(await azd.run(args, { npm_config_dry_run: 'false' })).lines.join('\n')
}

/** Makes an environment of azd, and selects it. */
async function environment(name: string, values: Readonly<Record<string, string>>): Promise<void> {
  await well('env', 'new', name, '--no-prompt', '--subscription', azure.subscriptionId, '--location', azure.location)
  const all = Object.entries({ JOINER_CLUSTER_FACTS: facts, ...values })
  await well('env', 'set', '-e', name, ...all.map(([key, value]) => `${key}=${value}`))
}

const provision = (...args: readonly string[]): Promise<string> => well('provision', ...args, '--no-prompt')
const inAzure = (type: string): readonly string[] => azure.resources().flatMap((each) => (each['type'] === type ? [each.id] : []))
const assignments = (): readonly string[] => inAzure('Microsoft.Authorization/roleAssignments')

describe.skipIf(PROGRAM === undefined)(`azd and the templates${WITHOUT}`, () => {
  beforeAll(async () => {
    // The directory knows the person who deploys.
    const managedIdentities = [{ clientId: AZD.appid, objectId: AZD.oid }]
    azure = await startAzure({
      speed: 20,
      needsRoles: true,
      ageOfRoles: 600_000,
      armName: 'https://management.azure.com',
      managedIdentities,
    })
    grantDeployerRights(azure)
    const authority = await createInternetAuthority()
    const caFile = join(folder, 'ca.pem')
    writeFileSync(caFile, authority.certificate)
    internet = await startInternet(authority, names())
    const { clusters } = await createTemplates(azure, 'public', {})
    azd = await startAzd({
      program: PROGRAM ?? '',
      azure,
      internet,
      caFile,
      directory: folder,
      project: projectIn(join(folder, 'project')),
      // The hook runs azd.
      environment: { PATH: [dirname(PROGRAM ?? ''), dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter) },
    })
    facts = JSON.stringify(clusters)
    await environment(NAME, { JOINER_APP_DEPLOYED: 'true' })
  })
  afterAll(async () => {
    await azd.close()
    await internet.close()
    await azure.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('finds and runs the hook of the layer of the roles, which has no role to wait for here', async () => {
    await well('env', 'set', 'JOINER_ROLE_IDS', '[]')
    const said = await well('hooks', 'run', 'postprovision', '--layer', 'roles', '--no-prompt')
    expect(said).toMatch(/Layer: roles\s+layer hook 1\/1:\s+\S* Done: Successfully executed hook/)
    // With roles, the hook waits for a minute.
    writeProject(
      azd.project,
      yaml.infra.layers.map((layer) => ({ ...layer, hooks: undefined })),
    )
  })

  it('makes nothing with the demo layer, all of the core layer, and skips what has not changed', async () => {
    await provision('demo')
    expect(inAzure('Microsoft.ContainerService/managedClusters')).toEqual([])
    await provision('roles')
    expect(JSON.parse(azd.values(NAME)['JOINER_ROLE_IDS'] ?? '')).toEqual(inAzure('Microsoft.Authorization/roleDefinitions').slice(-5))
    await provision('core')
    expect(inAzure('Microsoft.Web/sites')).toHaveLength(1)
    expect(azd.values(NAME)).toMatchObject({ AZURE_RESOURCE_GROUP: expect.stringContaining(NAME), JOINER_APP_NAME: expect.any(String) })
    expect(await provision('core')).toMatch(/didn't find new changes/i)
  })

  it('repairs rights that were taken away only with --no-state', async () => {
    const [gone = ''] = assignments()
    const count = assignments().length
    expect(await createArmCaller(azure)('DELETE', gone, '2022-04-01')).toMatchObject({ status: 200 })
    await provision('core')
    expect(assignments()).toHaveLength(count - 1)
    await provision('core', '--no-state')
    expect(assignments()).toHaveLength(count)
  })

  it('makes a second environment beside the first, on its topic of health events, and takes it down alone', async () => {
    const [topic = ''] = inAzure('Microsoft.EventGrid/systemTopics')
    const before = azure.resources()
    await environment(SECOND, { JOINER_FOUND_HEALTH_TOPIC_ID: topic })
    await provision('roles', '-e', SECOND)
    await provision('core', '-e', SECOND)
    expect(inAzure('Microsoft.Web/sites')).toHaveLength(2)
    expect(inAzure('Microsoft.EventGrid/systemTopics')).toEqual([topic])
    await well('down', '-e', SECOND, '--force', '--purge', '--no-prompt')
    // The hook predown removes what is outside of the group, and does not run here.
    expect(azure.resources().filter(({ id }) => !id.includes('/providers/Microsoft.Authorization/') && id.includes(SECOND))).toEqual([])
    expect(azure.resources()).toEqual(expect.arrayContaining([...before]))
    await well('env', 'select', NAME)
  })

  it('puts the code of a private app there from its network only, and the hook before says where', async () => {
    const taken: string[] = []
    azure.publishTo(async (siteId) => void taken.push(siteId))
    await environment(CLOSED, { JOINER_NETWORK: 'private', JOINER_FOUND_HEALTH_TOPIC_ID: 'none' })
    await provision('roles', '-e', CLOSED)
    await provision('core', '-e', CLOSED)
    mkdirSync(join(azd.project, 'dist', 'functions'), { recursive: true })
    writeFileSync(join(azd.project, 'dist', 'functions', 'host.json'), '{}')
    const deploy = ['deploy', '--all', '-e', CLOSED, '--no-prompt']
    const { code, lines } = await azd.run(deploy, ofHooks())
    expect([code, lines.join(' ')]).toEqual([expect.any(Number), expect.stringContaining('answered 403. With network=private')])
    expect([code === 0, taken]).toEqual([false, []])
    // Without the hook, the program itself is refused.
    const unhooked = parse(readFileSync(join(azd.project, 'azure.yaml'), 'utf8'))
    writeFileSync(join(azd.project, 'azure.yaml'), stringify({ ...unhooked, hooks: {} }))
    const refused = await azd.run(deploy)
    expect([refused.code === 0, refused.lines.join(' '), taken]).toEqual([false, expect.stringContaining('403'), []])
    writeFileSync(join(azd.project, 'azure.yaml'), stringify(unhooked))
    network = networkOf(azure.subnetId)
    requireWell(await azd.run(deploy, ofHooks()))
    expect(taken).toEqual([azd.values(CLOSED)['JOINER_APP_NAME']].map((name) => expect.stringMatching(new RegExp(`/sites/${name}$`))))
    network = undefined
    await well('down', '-e', CLOSED, '--force', '--purge', '--no-prompt')
    await well('env', 'select', NAME)
  })

  it('makes the cluster for trials in a group of its own', async () => {
    await well('env', 'set', 'JOINER_DEMO_CLUSTER', 'true')
    await provision('demo')
    const [made = ''] = inAzure('Microsoft.ContainerService/managedClusters')
    expect(made).toContain(`/resourceGroups/rg-joiner-demo-${NAME}/`)
    expect(azd.values(NAME)['JOINER_DEMO_CLUSTER_ID']).toBe(made)
  })

  it('is not refused anything that it asks Azure for', () => {
    const refused = azure.requests.all().filter(({ status }) => status >= 400 && status !== 404)
    expect(refused.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([])
    expect([...internet.unknown]).toEqual([])
  })

  it('deletes all groups of the environment, that of the cluster for trials, too, and ends well when it runs twice', async () => {
    const down = (): Promise<string> => well('down', '--force', '--purge', '--no-prompt')
    await well('env', 'set', 'JOINER_NETWORK=public', 'JOINER_FOUND_HEALTH_TOPIC_ID=none')
    await down()
    expect(inAzure('Microsoft.Resources/resourceGroups')).toEqual([])
    const left = Object.entries(azd.values(NAME)).filter(([name]) => name.startsWith('JOINER_'))
    expect(Object.fromEntries(left)).toEqual({ ...NOTHING_INSTALLED, JOINER_NETWORK: 'public', JOINER_DEMO_CLUSTER: 'true' })
    await down()
    // azd ran npm install before the hook.
    expect(readFileSync(join(azd.project, 'package-lock.json'), 'utf8')).toBe(JSON.stringify(LOCK))
  })
})
