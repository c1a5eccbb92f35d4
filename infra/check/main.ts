// `npm run infra:check`: checks the templates without Azure and without the Bicep compiler.
import { repositoryRoot } from '../../scripts/floors.ts'
import { checkInfra } from './checkInfra.ts'
import { repositorySources } from './sources.ts'

const sources = repositorySources(repositoryRoot)
const { findings, evaluations } = await checkInfra(sources)
if (sources.index === undefined) console.log('skipped: types and roles of Azure, since the public data is not beside the repository')
for (const { file, line, rule, message } of findings) console.log(`${file}:${line} ${rule}: ${message}`)
const resources = evaluations.reduce((sum, each) => sum + each.resources.length, 0)
console.log(
  `${findings.length} problems in ${sources.files.length} files; ${evaluations.length} sets of parameters, ${resources} resources`,
)
process.exitCode = findings.length === 0 ? 0 : 1
