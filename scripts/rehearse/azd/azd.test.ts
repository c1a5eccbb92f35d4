// azd itself deploys the layers of the templates, without the hooks, which need a cluster. `npm run rehearse` runs all of azd.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { findBuiltAzd } from '../../../local/azd/findAzd.ts'
import { type LocalAzure, startAzure } from '../../../local/azure/startAzure.ts'
import { CACHE } from '../../../local/goPrograms.ts'
import { createInternetAuthority, type Internet, startInternet } from '../../../local/internet/startInternet.ts'
import { repositoryRoot } from '../../floors.ts'
import { createArmCaller } from '../armCaller.ts'
import { grantDeployerRights } from '../deployerRights.ts'
import { requireWell } from '../runHook.ts'
import { createTemplates } from '../templates.ts'
import { azdNames } from './azdNames.ts'
import { type Azd, startAzd } from './startAzd.ts'

const PROGRAM = findBuiltAzd(CACHE)
const WITHOUT = PROGRAM === undefined ? ' (skipped: no azd; npm run azd)' : ''
const NAME = 'first'
const folder = mkdtempSync(join(tmpdir(), 'joiner-azd-'))

let azure: LocalAzure
let internet: Internet
let azd: Azd

/** The project without its hooks. */
function projectIn(directory: string): string {
  mkdirSync(directory)
  const yaml: object = parse(readFileSync(join(repositoryRoot, 'azure.yaml'), 'utf8'))
  writeFileSync(join(directory, 'azure.yaml'), stringify({ ...yaml, hooks: undefined }))
  symlinkSync(join(repositoryRoot, 'infra'), join(directory, 'infra'))
  return directory
}

/** Returns what azd said. Throws with it if azd failed. */
async function well(...args: readonly string[]): Promise<string> {
  return requireWell(await azd.run(args)).lines.join('\n')
}

const provision = (...args: readonly string[]): Promise<string> => well('provision', ...args, '--no-prompt')
const inAzure = (type: string): readonly string[] => azure.resources().flatMap((each) => (each['type'] === type ? [each.id] : []))
const assignments = (): readonly string[] => inAzure('Microsoft.Authorization/roleAssignments')

describe.skipIf(PROGRAM === undefined)(`azd and the templates${WITHOUT}`, () => {
  beforeAll(async () => {
    azure = await startAzure({ speed: 20, needsRoles: true, armName: 'https://management.azure.com' })
    grantDeployerRights(azure)
    const authority = await createInternetAuthority()
    const caFile = join(folder, 'ca.pem')
    writeFileSync(caFile, authority.certificate)
    internet = await startInternet(authority, azdNames(azure))
    const { clusters } = await createTemplates(azure, 'public', {})
    azd = await startAzd({
      program: PROGRAM ?? '',
      azure,
      internet,
      caFile,
      directory: folder,
      project: projectIn(join(folder, 'project')),
      environment: { PATH: process.env['PATH'] ?? '' },
    })
    await well('env', 'new', NAME, '--no-prompt', '--subscription', azure.subscriptionId, '--location', azure.location)
    await well('env', 'set', 'JOINER_CLUSTER_FACTS', JSON.stringify(clusters))
  })
  afterAll(async () => {
    await azd.close()
    await internet.close()
    await azure.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('makes nothing with the demo layer, all of the core layer, and skips what has not changed', async () => {
    await provision('demo')
    expect(inAzure('Microsoft.ContainerService/managedClusters')).toEqual([])
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

  it('is not refused anything that it asks Azure for', () => {
    const refused = azure.requests.all().filter(({ status }) => status >= 400 && status !== 404)
    expect(refused.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([])
    expect([...internet.unknown]).toEqual([])
  })

  it('deletes all groups of the environment, and ends well when it runs twice', async () => {
    const down = (): Promise<string> => well('down', '--force', '--purge', '--no-prompt')
    await down()
    expect(inAzure('Microsoft.Resources/resourceGroups')).toEqual([])
    expect(azd.values(NAME)['JOINER_APP_NAME']).toBeUndefined()
    await down()
  })
})
