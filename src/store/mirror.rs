//! Makes a file equal to a database that others write, page by page. Whoever copies in one
//! sweep holds the write-ahead log back for as long as the disk takes; here most is copied in
//! many short looks, and one long look in the end, of one moment, only mends what has changed
//! meanwhile. It must not change what it reads.

use std::fs::File;
use std::io;
use std::ops::RangeInclusive;
use std::os::unix::fs::FileExt;

use rusqlite::Connection;

/// Each page with its number, as the reader's transaction sees it (sqlite.org/dbpage.html).
pub(super) const TABLE_OF_PAGES: &str = "sqlite_dbpage";
/// Pages of one look: 128 KiB.
const PAGES_AT_ONCE: u64 = 32;

pub(super) struct Mirror<'a> {
    from: &'a Connection,
    to: &'a File,
    page_bytes: usize,
    /// What the file has where a page belongs.
    held: Vec<u8>,
}

#[derive(Debug)]
pub(super) enum Failure {
    Reading(rusqlite::Error),
    Writing(io::Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Reading(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Writing(error)
    }
}

/// Between two looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    /// Pages done.
    pub(super) pages: u64,
    pub(super) of: u64,
    /// Pages of this look that were written.
    pub(super) written: u64,
}

impl<'a> Mirror<'a> {
    pub(super) fn new(from: &'a Connection, to: &'a File) -> Result<Self, Failure> {
        let page_bytes: i64 = from.pragma_query_value(None, "page_size", |row| row.get(0))?;
        Ok(Self {
            from,
            to,
            page_bytes: usize::try_from(page_bytes).unwrap_or_default(),
            held: Vec::new(),
        })
    }

    /// Each look sees the database as it is then, as far as it reached at the first. Pages
    /// written in all.
    pub(super) fn follow(
        &mut self,
        mut looked: impl FnMut(Look) -> Result<(), Failure>,
    ) -> Result<u64, Failure> {
        let (mut pages, mut end, mut written) = (0, None, 0);
        loop {
            let transaction = self.from.unchecked_transaction()?;
            let of = self.pages()?;
            // What has grown since is for the next sweep; it may have shrunk as well.
            let of = of.min(*end.get_or_insert(of));
            if pages >= of {
                return Ok(written);
            }
            let look = self.look(pages, of)?;
            transaction.finish()?;
            looked(look)?;
            (pages, written) = (look.pages, written + look.written);
        }
    }

    /// All looks see one moment; then the file is what the database was. False when `go_on`
    /// says so.
    pub(super) fn settle(
        &mut self,
        mut go_on: impl FnMut(Look) -> Result<bool, Failure>,
    ) -> Result<bool, Failure> {
        let transaction = self.from.unchecked_transaction()?;
        let of = self.pages()?;
        let mut pages = 0;
        while pages < of {
            let look = self.look(pages, of)?;
            pages = look.pages;
            if pages < of && !go_on(look)? {
                return Ok(false);
            }
        }
        self.to.set_len(of * self.page_bytes as u64)?;
        transaction.finish()?;
        Ok(true)
    }

    fn pages(&self) -> Result<u64, Failure> {
        let pages: i64 = self
            .from
            .pragma_query_value(None, "page_count", |row| row.get(0))?;
        Ok(u64::try_from(pages).unwrap_or_default())
    }

    /// At the pages behind the first `pages` of `of`.
    fn look(&mut self, pages: u64, of: u64) -> Result<Look, Failure> {
        let last = of.min(pages + PAGES_AT_ONCE);
        Ok(Look {
            written: self.mend(pages + 1..=last)?,
            pages: last,
            of,
        })
    }

    /// Writes those of the pages that differ; how many that were.
    fn mend(&mut self, pages: RangeInclusive<u64>) -> Result<u64, Failure> {
        let first = pages.start() - 1;
        let count = (pages.end() - first) as usize;
        self.held.resize(count * self.page_bytes, 0);
        let held = read_at(self.to, &mut self.held, first * self.page_bytes as u64)?;
        let sql = format!("SELECT data FROM {TABLE_OF_PAGES} WHERE pgno = ?1");
        let mut page = self.from.prepare_cached(&sql)?;
        let mut written = 0;
        for (index, number) in pages.enumerate() {
            let mut rows = page.query([number as i64])?;
            let row = rows.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
            let data = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
            let at = index * self.page_bytes;
            let own = self.held[..held].get(at..at + self.page_bytes);
            if own != Some(data) {
                self.to
                    .write_all_at(data, (number - 1) * self.page_bytes as u64)?;
                written += 1;
            }
        }
        Ok(written)
    }
}

/// As much as there is.
fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    let mut read = 0;
    while read < into.len() {
        match file.read_at(&mut into[read..], at + read as u64)? {
            0 => break,
            more => read += more,
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row_count(path: &std::path::Path) -> i64 {
        let copy = Connection::open(path).expect("the copy opens");
        let sound: String = copy
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .expect("the copy can be checked");
        assert_eq!(sound, "ok");
        copy.query_row("SELECT count(*) FROM t", [], |row| row.get(0))
            .expect("the copy has the table")
    }

    #[test]
    fn it_follows_growth_change_and_shrinking() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, copy) = (folder.path().join("a.db"), folder.path().join("b.db"));
        let writing = Connection::open(&path).expect("a database");
        let execute = |sql: &str| writing.execute_batch(sql).expect("SQL");
        execute("PRAGMA journal_mode = WAL; PRAGMA auto_vacuum = 0; CREATE TABLE t (x)");
        execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
             INSERT INTO t SELECT randomblob(2000) FROM n",
        );
        let reading = Connection::open(&path).expect("a second connection");
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(true);
        let file = options.open(&copy).expect("a file");
        let mut mirror = Mirror::new(&reading, &file).expect("a mirror");

        // While it looks, others write, also to pages that it has been to.
        let mut looks = 0;
        let written = mirror.follow(|look| {
            looks += 1;
            assert!(look.pages <= look.of);
            execute("UPDATE t SET x = randomblob(2000) WHERE rowid % 50 = 0");
            execute("INSERT INTO t VALUES (1)");
            Ok(())
        });
        assert!(looks > 2 && written.expect("copied") > 100);
        assert!(mirror.settle(|_| Ok(true)).expect("settled"));
        assert_eq!(row_count(&copy), 200 + looks);
        assert_eq!(mirror.follow(|_| Ok(())).expect("nothing changed"), 0);

        // One moment: what is written during the last sweep is not in it.
        let settled = mirror.settle(|_| {
            execute("INSERT INTO t VALUES (1)");
            Ok(true)
        });
        assert!(settled.expect("settled"));
        assert_eq!(row_count(&copy), 200 + looks);
        assert!(!mirror.settle(|_| Ok(false)).expect("let go"));

        let mut looks = 0;
        let followed = mirror.follow(|_| {
            looks += 1;
            if looks == 2 {
                execute("DELETE FROM t WHERE rowid > 10; VACUUM");
            }
            Ok(())
        });
        followed.expect("a database that shrinks");
        assert_eq!(looks, 2);
        assert!(mirror.settle(|_| Ok(true)).expect("settled"));
        assert_eq!(row_count(&copy), 10);
        let bytes = |path| std::fs::metadata(path).expect("a file").len();
        let pages = mirror.pages().expect("pages");
        assert_eq!(bytes(&copy), pages * mirror.page_bytes as u64);
    }
}
