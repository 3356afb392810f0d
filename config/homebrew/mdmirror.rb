# A template: `node scripts/homebrew.ts TARBALL URL HOMEPAGE` fills in version, address and digest.
class Mdmirror < Formula
  desc "Edit a workspace of Markdown files in any editor"
  homepage "{{HOMEPAGE}}"
  url "{{URL}}"
  sha256 "{{SHA256}}"
  license "MIT"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    man1.install_symlink libexec.glob("lib/node_modules/mdmirror/dist/man/*.1")
    generate_completions_from_executable(bin/"mdmirror", "completion")
  end

  service do
    run [opt_bin/"mdmirror", "watch", "--all"]
    keep_alive crashed: true
    log_path var/"log/mdmirror.log"
    error_log_path var/"log/mdmirror.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/mdmirror --version")
    (testpath/"text.md").write "text\n"
    assert_equal "text\n", shell_output("#{bin}/mdmirror merge text.md text.md text.md --print")
  end
end
