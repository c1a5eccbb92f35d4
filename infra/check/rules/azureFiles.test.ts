import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../../scripts/floors.ts'
import { checkAzureFiles } from './azureFiles.ts'

const real = readFileSync(join(repositoryRoot, 'azure.yaml'), 'utf8')
const isThere = (path: string): boolean => existsSync(join(repositoryRoot, path))

describe('what azure.yaml names', () => {
  it('is there', () => expect(checkAzureFiles(real, isThere)).toEqual([]))

  it.each([
    [
      'a hook that is not there',
      'run: infra/hooks/predown.ts',
      'run: infra/hooks/prdown.ts',
      'hooks.predown: there is no infra/hooks/prdown.ts',
    ],
    [
      'a hook that comes after the questions of azd up',
      '  preup:\n',
      '  prerestore:\n',
      'hooks.preprovision: azd up reads parameters before infra/hooks/preprovision.ts runs: name it as preup, too',
    ],
    ['a template that is not there', 'module: demo', 'module: dem', 'infra.layers.0.module: there is no infra/dem.bicep'],
    [
      'a layer that comes too late',
      'dependsOn: [demo]',
      'dependsOn: [events]',
      'infra.layers.1.dependsOn: no layer before this one is named events',
    ],
    [
      'a step that may be skipped',
      'provision core --no-state',
      'provision core',
      'workflows.up.steps.2: azd skips core if its template has not changed, whatever is missing in Azure: add --no-state',
    ],
    ['a step for a layer that is not there', 'provision events', 'provision event', 'workflows.up.steps.4: there is no layer event'],
    ['a layer that no step makes', '      - azd: provision core --no-state\n', '', 'workflows.up.steps.0: layer core is never provisioned'],
    ['a project that is not there', 'project: "."\n', 'project: app\n', 'services.app.project: there is no app'],
  ])('%s is found', (_, old, by, message) => {
    expect(real).toContain(old)
    expect(checkAzureFiles(real.replace(old, by), isThere)).toContainEqual(
      expect.objectContaining({ file: 'azure.yaml', rule: 'azure-yaml', message }),
    )
  })

  it('is found in hooks of a layer and of a service too, with its line', () => {
    const text =
      'name: joiner\ninfra:\n  layers:\n    - name: core\n      path: infra\n      hooks:\n        preprovision:\n          run: a.ts\n'
    expect(checkAzureFiles(text, (path) => path !== 'infra/a.ts')).toEqual([
      expect.objectContaining({ line: 8, message: 'infra.layers.0.hooks.preprovision: there is no infra/a.ts' }),
    ])
  })
})
