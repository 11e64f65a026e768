import { testArea } from './rows.ts'

testArea('conversations')
