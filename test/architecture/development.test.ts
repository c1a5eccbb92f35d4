import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8')
const { scripts, devDependencies } = JSON.parse(read('package.json'))

/** Commands of npm itself, which need no script. */
const OF_NPM = ['ci', 'install']

function commandsOf(text: string): readonly string[] {
  return [...text.matchAll(/\bnpm (?:run )?([a-z][\w:-]*)/g)].map(([, name]) => name ?? '')
}

describe('docs/development.md', () => {
  it('names commands that there are', () => {
    const commands = commandsOf(read('docs/development.md')).filter((name) => !OF_NPM.includes(name))
    expect(commands.length).toBeGreaterThan(10)
    expect(commands.filter((name) => !(name in scripts))).toEqual([])
  })
})

describe('the devcontainer', () => {
  const container = JSON.parse(read('.devcontainer/devcontainer.json'))
  const features: { readonly [feature: string]: { readonly version?: string; readonly installBicep?: boolean } } = container.features
  const featureOf = (name: string) => Object.entries(features).find(([feature]) => feature.includes(`/${name}:`))?.[1]

  it('has the Node and the Go of the project', () => {
    expect(featureOf('node')?.version).toBe(devDependencies.node.split('.')[0])
    const [, go] = /^go (\d+\.\d+)/m.exec(read('local/helm/go/go.mod')) ?? []
    expect(featureOf('go')?.version).toBe(go)
  })

  it('has the tools of a deployment', () => {
    for (const name of ['azure-cli', 'azd', 'kubectl-helm-minikube', 'github-cli']) expect(featureOf(name), name).toBeDefined()
    expect(featureOf('azure-cli')?.installBicep).toBe(true)
    expect(container.customizations.vscode.extensions).toContain('ms-azuretools.vscode-bicep')
  })

  it('is made ready by a command that there is', () => {
    expect(commandsOf(container.postCreateCommand).filter((name) => !(name in scripts || OF_NPM.includes(name)))).toEqual([])
  })
})
