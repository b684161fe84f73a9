// Texts to count, by kind. Made of what every installation has (READMEs and sources of dependencies, seeded
// generators), so that a figure can be repeated; transcripts come from ../shared where that exists.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const modules = join(root, 'node_modules');

/** Files below `dir` by extension, sorted; not below nested node_modules. */
function filesOf(dir: string, extension: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((f) => f.endsWith(extension) && !f.includes('node_modules'))
    .sort()
    .map((f) => join(dir, f));
}

function gather(dirs: readonly string[], extension: string, chars: number): string {
  let out = '';
  for (const dir of dirs) {
    for (const f of filesOf(join(modules, dir), extension)) {
      if (out.length >= chars) return out.slice(0, chars);
      out += `${readFileSync(f, 'utf8')}\n`;
    }
  }
  return out.slice(0, chars);
}

/** English: the READMEs' and licences' text without code blocks, tables and links' targets. */
export function prose(): string {
  const docs = gather(
    ['undici/docs', 'ws', 'commander', 'pino', 'fast-check', 'piscina', 'prom-client'],
    '.md',
    900_000,
  );
  const plain = docs
    .replace(/```[\s\S]*?```/g, '')
    .split('\n')
    .filter((l) => !/^\s*(\||#|<|- `|\[)/.test(l) && /[a-z]{3} [a-z]/.test(l))
    .map((l) => l.replace(/\]\([^)]*\)/g, ']').replace(/[*_`[\]]/g, ''))
    .join('\n');
  return plain.slice(0, 200_000);
}

export function code(): string {
  return (
    gather(['undici/lib', 'zod/src', 'commander/lib'], '', 0) +
    gather(['undici/lib', 'commander/lib'], '.js', 300_000)
  );
}

function seeded(seed: number): () => number {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 0x1_0000_0000;
  };
}

/** Tool results as agents see them: listings, search hits, issue lists, half of them indented. */
export function json(): string {
  const random = seeded(7);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const words = prose().slice(0, 20_000).split(/\s+/);
  const some = (n: number) => Array.from({ length: n }, () => pick(words)).join(' ');
  const results: string[] = [];
  for (let i = 0; i < 150; i++) {
    const value = {
      status: pick(['ok', 'partial', 'error']),
      took_ms: Math.floor(random() * 900),
      items: Array.from({ length: 6 }, () => ({
        id: Math.floor(random() * 1e9),
        path: `src/${pick(words)}/${pick(words)}.ts`,
        sha: Math.floor(random() * 2 ** 48).toString(16),
        updated_at: new Date(1.7e12 + random() * 5e10).toISOString(),
        title: some(6),
        snippet: `${some(12)}\n\t"${some(3)}"`,
        score: Number(random().toFixed(4)),
        labels: [pick(words), pick(words)],
        open: random() < 0.5,
        assignee: null,
      })),
    };
    results.push(i % 2 === 0 ? JSON.stringify(value) : JSON.stringify(value, null, 2));
  }
  return results.join('\n');
}

const ZH = {
  who: '我们 用户 系统 这个模块 开发人员 服务器 客户端 数据库 研究团队 管理员 编译器 模型 该公司 学生们 市场 新的算法 测试工程师 政府部门 医生 许多读者'.split(
    ' ',
  ),
  how: '已经 通常 逐渐 不能 可以 应该 仔细地 自动 重新 在后台 每天 及时 很少 往往 只好 几乎'.split(' '),
  does: '处理 检查 保存 分析 更新 删除 优化 讨论 理解 比较 验证 记录 返回 配置 部署 解释 收集 提高 生成 忽略'.split(
    ' ',
  ),
  what: '所有的请求 上下文窗口 错误信息 缓存中的数据 网络连接 日志文件 机器学习的结果 天气预报 历史记录 用户界面 经济发展 语言模型 工具调用 安全问题 内存使用量 文化遗产 交通状况 第三方接口 实验报告 内容摘要'.split(
    ' ',
  ),
  join: '，因此 ，但是 ，并且 ，同时 。 。 ； ：'.split(' '),
};
const JA = {
  who: '私たちは 利用者は このシステムは 開発者が サーバーは 研究者たちは 東京の会社は 新しいモデルは 先生は 管理者が'.split(
    ' ',
  ),
  what: '設定ファイルを 会話の履歴を エラーの原因を 入力データを 検索結果を 日本語の文章を キャッシュを メモリの使用量を 天気の情報を 古い書類を'.split(
    ' ',
  ),
  does: '確認します 保存しました 削除できません 更新しています 分析する必要があります 比較してください 説明しました 圧縮する 読み込みます 選びました'.split(
    ' ',
  ),
};
const KO = {
  who: '우리는 사용자가 시스템은 개발자는 서버가 연구팀은 새로운 모델은 회사는 관리자가 학생들은'.split(' '),
  what: '설정 파일을 대화 기록을 오류의 원인을 입력 데이터를 검색 결과를 긴 문장을 캐시를 메모리 사용량을 날씨 정보를 보고서를'.split(
    ' ',
  ),
  does: '확인합니다. 저장했습니다. 삭제할 수 없습니다. 업데이트하고 있습니다. 분석해야 합니다. 비교해 주세요. 설명했습니다. 읽어옵니다.'.split(
    ' ',
  ),
};

/** Chinese (two thirds), Japanese and Korean; some 300 KB of sentences that seldom repeat. */
export function cjk(): string {
  const random = seeded(11);
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)]!;
  let out = '';
  while (out.length < 110_000) {
    const kind = random();
    if (kind < 0.66) {
      for (let i = 0; i < 6; i++)
        out += pick(ZH.who) + pick(ZH.how) + pick(ZH.does) + pick(ZH.what) + pick(ZH.join);
      out += '\n';
    } else if (kind < 0.85) {
      for (let i = 0; i < 4; i++) out += `${pick(JA.who)}、${pick(JA.what)}${pick(JA.does)}。`;
      out += '\n';
    } else {
      for (let i = 0; i < 4; i++) out += `${pick(KO.who)} ${pick(KO.what)} ${pick(KO.does)} `;
      out += '\n';
    }
  }
  return out;
}

/** 2,000 strings of 20 to 200 bytes, cut from the others at random places. */
export function small(): string[] {
  const random = seeded(13);
  const sources = [prose(), code(), json()];
  return Array.from({ length: 2000 }, (_, i) => {
    const from = sources[i % 3]!;
    const at = Math.floor(random() * (from.length - 200));
    return from.slice(at, at + 20 + Math.floor(random() * 180));
  });
}

/** Every string of 1 to 100,000 characters in the recorded conversations; undefined when they are absent. */
export function transcripts(): string[] | undefined {
  const dir = join(process.env['CURATED_SHARED'] ?? join(root, '..', 'shared'), 'data', 'transcripts');
  if (!existsSync(dir)) return undefined;
  const texts: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === 'string') {
      if (value.length > 0 && value.length <= 100_000) texts.push(value);
    } else if (typeof value === 'object' && value !== null) {
      for (const v of Object.values(value)) walk(v);
    }
  };
  for (const f of readdirSync(dir).sort()) {
    if (!f.endsWith('.jsonl')) continue;
    for (const line of readFileSync(join(dir, f), 'utf8').split('\n')) {
      if (line !== '') walk((JSON.parse(line) as { messages?: unknown }).messages);
    }
  }
  return texts;
}
