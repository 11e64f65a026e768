import { testArea } from './rows.ts'

testArea('programs')
