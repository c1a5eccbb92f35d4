// Storage in a process of its own; it ends with the one that started it.
import { startStorage } from '../../local/storage/startStorage.ts'

const storage = await startStorage()
process.once('disconnect', () => process.exit())
process.send?.(storage.connectionString)
