import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkAzureYaml } from './azureYaml.ts'

const PATH = '../shared/data/azure.yaml.schema.json'
const isHere = existsSync(PATH)

const right = `name: joiner
requiredVersions:
  azd: ">= 1.25.0"
infra:
  provider: bicep
  layers:
    - name: base
      path: infra
      module: main
services:
  app:
    project: .
    host: function
    language: ts
hooks:
  preprovision:
    run: infra/hooks/preprovision.ts
    kind: ts
`

describe.skipIf(!isHere)(`azure.yaml${isHere ? '' : ' (skipped: ../shared/data is absent)'}`, () => {
  const schema: unknown = isHere ? JSON.parse(readFileSync(PATH, 'utf8')) : {}

  it('that is right has no findings', () => {
    expect(checkAzureYaml(right, schema)).toEqual([])
  })

  it.each([
    ['a misspelt hook', 'preprovision:', 'preprovison:', 16, 'hooks: there is no key "preprovison"'],
    ['a misspelt key at the top', 'services:', 'service:', 1, 'the file: there is no key "service"'],
    ['a misspelt key of a service', 'project: .', 'projekt: .', 12, 'services.app: there is no key "projekt"'],
    ['a misspelt key of infra', 'provider:', 'provder:', 5, 'infra: there is no key "provder"'],
    ['a missing host', '    host: function\n', '', 12, "services.app: must have required property 'host'"],
    ['a kind of hook that azd lacks', 'kind: ts', 'kind: perl', 18, 'hooks.preprovision.kind'],
    ['a layer without a path', '      path: infra\n', '', 7, 'infra.layers.0'],
  ])('%s is found', (_, old, by, line, words) => {
    expect(right).toContain(old)
    expect(checkAzureYaml(right.replace(old, by), schema)).toContainEqual(
      expect.objectContaining({
        file: 'azure.yaml',
        rule: 'azure-yaml',
        message: expect.stringContaining(words),
        line,
      }),
    )
  })

  it('what is no YAML is found with its line', () => {
    expect(checkAzureYaml('name: joiner\nservices: [\n', schema)).toEqual([expect.objectContaining({ line: 3, rule: 'azure-yaml' })])
  })
})
